def show(board):
    for row in board:
        print(''.join(row))


def cheer(name, times=1):
    if not name:
        return
    print('Go', name, sep=' ', end='!' * times + '\n')
