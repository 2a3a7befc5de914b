"""The privacy domain: records applied to abstract values, costs, joins, samples."""
