"""Who may connect: members' requests, the operator's certificates, and the kits members are sent.

A member makes its own TLS key and sends a request; the operator sends back a kit, which holds no
secret. What FLARE reads is written from it by our own code (see ``workspace``).
For this adapter alone; `fedfact.federation.deploy.flare` offers what others use.
"""

__all__: list[str] = []
