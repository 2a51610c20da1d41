import os


class Config:
    def __init__(self, prefix='APP_'):
        self.prefix = prefix

    def get(self, name, default=None, kind=str):
        text = os.environ.get(self.prefix + name.upper())
        if text is None:
            return default
        if kind is bool:
            return text.lower() in ('1', 'true', 'yes')
        return kind(text)

    def require(self, name):
        value = self.get(name)
        if value is None:
            raise LookupError(f'{self.prefix}{name.upper()} is not set')
        return value
