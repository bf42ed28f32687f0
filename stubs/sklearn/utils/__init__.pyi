from typing import Any

class InputTags:
    sparse: bool
    string: bool
    two_d_array: bool
    positive_only: bool
    def __init__(self, *, string: bool = False, two_d_array: bool = True) -> None: ...

class TargetTags:
    required: bool
    two_d_labels: bool
    def __init__(self, *, required: bool) -> None: ...

class ClassifierTags:
    multi_label: bool
    poor_score: bool
    def __init__(self, *, multi_label: bool = False) -> None: ...

class TransformerTags:
    preserves_dtype: list[str]

class Tags:
    input_tags: InputTags
    target_tags: TargetTags
    classifier_tags: ClassifierTags | None
    transformer_tags: TransformerTags
    def __init__(
        self,
        *,
        estimator_type: str | None,
        target_tags: TargetTags,
        classifier_tags: ClassifierTags | None = None,
        input_tags: InputTags = ...,
    ) -> None: ...

def _safe_indexing(X: Any, indices: Any) -> Any: ...
