import warnings


def inches(cm):
    if cm < 0:
        warnings.warn('negative length', RuntimeWarning)
    return cm / 2.54


def feet(cm):
    warnings.warn('feet() goes away', FutureWarning)
    return inches(cm) / 12
