def parse(text):
    minutes, _, seconds = text.partition(':')
    if not (minutes.isdigit() and len(seconds) == 2 and seconds.isdigit()):
        raise ValueError(f'not a time: {text}')
    return int(minutes) * 60 + int(seconds)


def show(total):
    return f'{total // 60}:{total % 60:02}'


def add(*times):
    return show(sum(map(parse, times)))
