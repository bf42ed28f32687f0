from typing import Any

class MetadataRequest:
    score: Any
    def __init__(self, owner: Any) -> None: ...

def get_routing_for_object(obj: Any = None) -> Any: ...
