class SuperMock:
    """Stands in for super() in another module."""

    def __init__(self, *args, **kwargs):
        self.mock_object = None
        self.called = 0

    def __call__(self, *args, **kwargs):
        self.called += 1
        return self.mock_object
