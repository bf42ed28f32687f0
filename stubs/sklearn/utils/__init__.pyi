class InputTags:
    sparse: bool
    string: bool
    two_d_array: bool
    positive_only: bool

class TargetTags:
    required: bool
    two_d_labels: bool

class Tags:
    input_tags: InputTags
    target_tags: TargetTags
