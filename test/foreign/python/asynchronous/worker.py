import asyncio


async def double(value):
    await asyncio.sleep(0)
    return value * 2


async def gather_all(function, values):
    return await asyncio.gather(*(function(value) for value in values))


async def ticks(count):
    for number in range(count):
        yield number
        await asyncio.sleep(0)


class Session:
    def __init__(self):
        self.state = 'new'

    async def __aenter__(self):
        self.state = 'open'
        return self

    async def __aexit__(self, *error):
        self.state = 'closed'

    async def fetch(self, path):
        if not path.startswith('/'):
            raise ValueError('bad path: ' + path)
        return {'path': path, 'status': 200}


async def limited(function, seconds):
    try:
        return await asyncio.wait_for(function(), seconds)
    except asyncio.TimeoutError:
        return 'late'
