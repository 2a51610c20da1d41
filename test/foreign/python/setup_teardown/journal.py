class Journal:
    def __init__(self):
        self.lines = []

    def write(self, text):
        self.lines.append(text.strip())
        return len(self.lines)

    def search(self, word):
        return [number for number, line in enumerate(self.lines, 1) if word in line]

    def clear(self):
        self.lines.clear()
