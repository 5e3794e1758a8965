"""Parts of Triton whose interface is not settled."""
