"""What an expression evaluates to: abstract values, affine forms, frames, lists, findings."""
