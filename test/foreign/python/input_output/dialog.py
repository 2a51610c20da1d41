def ask_age():
    while True:
        text = input('age? ')
        if text.isdigit():
            return int(text)
        print('not a number')


def menu(options):
    for number, option in enumerate(options, 1):
        print(number, option)
    return options[int(input()) - 1]


def total():
    import sys
    return sum(int(line) for line in sys.stdin if line.strip())
