"""A backend that runs on the CPU and specializes the trunk."""
