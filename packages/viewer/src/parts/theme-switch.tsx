/**
 * The switch between the light and the dark theme. The default is the system's setting. The reader's choice is
 * stored if the browser allows it.
 */
import { useLayoutEffect, useState } from 'preact/hooks'

const KEPT = 'assay-theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(kept)
  useLayoutEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    keep(theme)
  }, [theme])
  return (
    <div class="segments" role="group" aria-label="Colours">
      {THEMES.map((one) => (
        <button type="button" aria-pressed={one === theme} onClick={() => setTheme(one)}>
          {one}
        </button>
      ))}
    </div>
  )
}

/** Returns the stored theme, or `system`. A page that is opened from a file may have no storage. */
function kept(): Theme {
  try {
    const found = localStorage.getItem(KEPT)
    return THEMES.find((one) => one === found) ?? 'system'
  } catch {
    return 'system'
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEPT, theme)
  } catch {
    // There is no storage, so the choice is lost when the page is closed.
  }
}
