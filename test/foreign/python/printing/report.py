import sys


def table(rows):
    for name, value in rows:
        print(f'{name:<8}{value:>5.1f}')


def warn(text):
    print('warning:', text, file=sys.stderr)


def progress(total, each):
    for number in range(1, total + 1):
        print('.', end='', flush=True)
        each(number)
    print()


def hello(name='World'):
    """Greets."""
    sys.stdout.write(f'Hello, {name}!\n')
    return len(name)
