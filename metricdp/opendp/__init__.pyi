# ruff: noqa
# fmt: off
# Written by `python -m metricdp.opendp.stubs`; do not edit.
"""OpenDP's names over metricdp's rules: `import metricdp.opendp as dp`."""

from typing import Any

from metricdp.opendp import transformations as transformations
from metricdp.opendp import measurements as measurements
from metricdp.opendp import combinators as combinators
t = transformations
m = measurements
c = combinators
from metricdp.opendp.transformations import *
from metricdp.opendp.measurements import *
from metricdp.opendp.combinators import *
from metricdp.opendp.objects import Measurement as Measurement
from metricdp.opendp.objects import Transformation as Transformation
from metricdp.opendp.metrics import absolute_distance as absolute_distance
from metricdp.opendp.accuracy import accuracy_to_discrete_gaussian_scale as accuracy_to_discrete_gaussian_scale
from metricdp.opendp.accuracy import accuracy_to_discrete_laplacian_scale as accuracy_to_discrete_laplacian_scale
from metricdp.opendp.accuracy import accuracy_to_gaussian_scale as accuracy_to_gaussian_scale
from metricdp.opendp.accuracy import accuracy_to_laplacian_scale as accuracy_to_laplacian_scale
from metricdp.opendp.metrics import approximate as approximate
from metricdp.opendp.mod import assert_features as assert_features
from metricdp.opendp.domains import atom_domain as atom_domain
from metricdp.opendp.mod import binary_search as binary_search
from metricdp.opendp.mod import binary_search_chain as binary_search_chain
from metricdp.opendp.mod import binary_search_param as binary_search_param
from metricdp.opendp.domains import bitvector_domain as bitvector_domain
from metricdp.opendp.metrics import change_one_distance as change_one_distance
from metricdp.opendp.postprocess import choose_branching_factor as choose_branching_factor
from metricdp.opendp.catalogue_noise import debias_randomized_response_bitvec as debias_randomized_response_bitvec
from metricdp.opendp.mod import disable_features as disable_features
from metricdp.opendp.metrics import discrete_distance as discrete_distance
from metricdp.opendp.accuracy import discrete_gaussian_scale_to_accuracy as discrete_gaussian_scale_to_accuracy
from metricdp.opendp.accuracy import discrete_laplacian_scale_to_accuracy as discrete_laplacian_scale_to_accuracy
from metricdp.opendp.mod import enable_features as enable_features
from metricdp.opendp.mod import exponential_bounds_search as exponential_bounds_search
from metricdp.opendp.metrics import fixed_smoothed_max_divergence as fixed_smoothed_max_divergence
from metricdp.opendp.accuracy import gaussian_scale_to_accuracy as gaussian_scale_to_accuracy
from metricdp.opendp.metrics import hamming_distance as hamming_distance
from metricdp.opendp.metrics import insert_delete_distance as insert_delete_distance
from metricdp.opendp.metrics import l01inf_distance as l01inf_distance
from metricdp.opendp.metrics import l02inf_distance as l02inf_distance
from metricdp.opendp.metrics import l1_distance as l1_distance
from metricdp.opendp.metrics import l2_distance as l2_distance
from metricdp.opendp.accuracy import laplacian_scale_to_accuracy as laplacian_scale_to_accuracy
from metricdp.opendp.metrics import linf_distance as linf_distance
from metricdp.opendp.postprocess import make_cdf as make_cdf
from metricdp.opendp.postprocess import make_consistent_b_ary_tree as make_consistent_b_ary_tree
from metricdp.opendp.postprocess import make_quantiles_from_counts as make_quantiles_from_counts
from metricdp.opendp.domains import map_domain as map_domain
from metricdp.opendp.metrics import max_divergence as max_divergence
from metricdp.opendp.catalogue_user import new_function as new_function
from metricdp.opendp.catalogue_combinators import new_privacy_profile as new_privacy_profile
from metricdp.opendp.domains import option_domain as option_domain
from metricdp.opendp.metrics import renyi_divergence as renyi_divergence
from metricdp.opendp.metrics import smoothed_max_divergence as smoothed_max_divergence
from metricdp.opendp.metrics import symmetric_distance as symmetric_distance
from metricdp.opendp.metrics import user_distance as user_distance
from metricdp.opendp.metrics import user_divergence as user_divergence
from metricdp.opendp.domains import user_domain as user_domain
from metricdp.opendp.domains import vector_domain as vector_domain
from metricdp.opendp.metrics import zero_concentrated_divergence as zero_concentrated_divergence
from metricdp.opendp.metrics import AbsoluteDistance as AbsoluteDistance
ApproximateDivergence: Any
from metricdp.opendp.domains import AtomDomain as AtomDomain
from metricdp.opendp.constructor import Chain as Chain
from metricdp.opendp.metrics import ChangeOneDistance as ChangeOneDistance
from metricdp.opendp.metrics import DiscreteDistance as DiscreteDistance
from metricdp.opendp.domains import Domain as Domain
ExtrinsicDivergence: Any
ExtrinsicDomain: Any
FixedSmoothedMaxDivergence: Any
from metricdp.opendp.metrics import HammingDistance as HammingDistance
from metricdp.opendp.metrics import InsertDeleteDistance as InsertDeleteDistance
from metricdp.opendp.metrics import L1Distance as L1Distance
from metricdp.opendp.metrics import L2Distance as L2Distance
from metricdp.opendp.metrics import MaxDivergence as MaxDivergence
from metricdp.opendp.metrics import Measure as Measure
from metricdp.opendp.metrics import Metric as Metric
from metricdp.opendp.interactive import Odometer as Odometer
from metricdp.opendp.interactive import OdometerQueryable as OdometerQueryable
OpenDPException: Any
from metricdp.opendp.domains import OptionDomain as OptionDomain
PartialChain: Any
from metricdp.maps.profiles import PrivacyProfile as PrivacyProfile
from metricdp.opendp.interactive import Queryable as Queryable
from metricdp.opendp.metrics import SmoothedMaxDivergence as SmoothedMaxDivergence
String: str
from metricdp.opendp.metrics import SymmetricDistance as SymmetricDistance
UnknownTypeException: Any
from metricdp.opendp.names import Vec as Vec
from metricdp.opendp.domains import VectorDomain as VectorDomain
from metricdp.opendp.metrics import ZeroConcentratedDivergence as ZeroConcentratedDivergence
from metricdp.opendp.interchange import deserialize as deserialize
domain_carrier_type: Any
domain_debug: Any
from metricdp.opendp.names import domain_of as domain_of
domain_type: Any
f32: str
f64: str
i128: str
i16: str
i32: str
i64: str
i8: str
isize: str
measure_debug: Any
measure_distance_type: Any
measure_type: Any
metric_debug: Any
metric_distance_type: Any
from metricdp.opendp.names import metric_of as metric_of
metric_type: Any
from metricdp.opendp.writing import serialize as serialize
from metricdp.opendp.names import set_default_float_type as set_default_float_type
from metricdp.opendp.names import set_default_int_type as set_default_int_type
from metricdp.opendp.names import space_of as space_of
u128: str
u16: str
u32: str
u64: str
u8: str
usize: str
