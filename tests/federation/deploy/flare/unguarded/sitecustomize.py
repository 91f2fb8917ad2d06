"""On the path of a federation's processes: FLARE without our filter, which nothing else can do."""

from fedfact.federation.deploy.flare import message_filter

message_filter.install_filter = lambda: None
