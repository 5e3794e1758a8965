"""What TorchInductor has to know about the device, a module for each thing that it asks for."""
