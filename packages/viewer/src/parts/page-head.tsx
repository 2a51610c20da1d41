/** The head of every page of the workbench except the page of a run, with the links between the pages. */
import type { ComponentChildren } from 'preact'
import { Name } from '../text/shown.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

export interface Crumb {
  readonly text: string
  readonly href: string
}

/** Links that show where the current page is. The last part is the page itself and has no link. */
export function Crumbs({ path, here }: { readonly path: readonly Crumb[]; readonly here: string }) {
  return (
    <nav class="crumbs" aria-label="Pages">
      <ol>
        {path.map(({ text, href }) => (
          <li>
            <a href={href}>
              <Name text={text} most={60} />
            </a>
          </li>
        ))}
        <li aria-current="page">
          <Name text={here} most={80} />
        </li>
      </ol>
    </nav>
  )
}

interface PageHeadProps {
  readonly navigation: ComponentChildren
  readonly children?: ComponentChildren
}

export const PageHead = ({ navigation, children }: PageHeadProps) => (
  <header>
    <div class="masthead">
      {navigation}
      <ThemeSwitch />
    </div>
    {children}
  </header>
)

/** A page that shows only a message. */
export const MessagePage = ({
  navigation,
  text,
}: {
  readonly navigation: ComponentChildren
  readonly text: string
}) => (
  <>
    <PageHead navigation={navigation} />
    <main>
      <p class="message" role="alert">
        <Name text={text} most={2000} />
      </p>
    </main>
  </>
)
