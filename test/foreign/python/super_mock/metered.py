import io


class Metered(io.BytesIO):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.read_bytes = self.read_ops = 0

    def read(self, size=-1):
        data = super().read(size)
        self.read_bytes += len(data)
        self.read_ops += 1
        return data

    def __exit__(self, kind, value, traceback):
        return super().__exit__(kind, value, traceback)
