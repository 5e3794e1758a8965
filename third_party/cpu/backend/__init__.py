"""The CPU as a device: compiler and driver."""
