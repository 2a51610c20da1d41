class Plugin:
    registry = {}
    priority = 0

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Plugin.registry[cls.__name__.lower()] = cls

    def handle(self, text):
        raise NotImplementedError(type(self).__name__)

    @classmethod
    def create(cls, name):
        return cls.registry[name]()


def run_all(text):
    for kind in sorted(Plugin.registry.values(), key=lambda one: -one.priority):
        text = kind().handle(text)
    return text
