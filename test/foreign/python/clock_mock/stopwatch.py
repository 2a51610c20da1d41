import time
from datetime import datetime


class Stopwatch:
    def __init__(self):
        self.started = None

    def start(self):
        self.started = time.monotonic()

    def elapsed(self):
        if self.started is None:
            raise RuntimeError('not started')
        return time.monotonic() - self.started


def greeting():
    hour = datetime.now().hour
    return 'Good morning' if hour < 12 else 'Good evening'


def wait_for(condition, attempts=3):
    for number in range(attempts):
        if condition():
            return number
        time.sleep(2 ** number)
    raise TimeoutError
