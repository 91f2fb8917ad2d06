"""The protocol between real machines, carried by NVIDIA FLARE 2.9.0 over mutual TLS.

The protocol itself knows nothing of FLARE; nvflare is imported in this package only.
"""
