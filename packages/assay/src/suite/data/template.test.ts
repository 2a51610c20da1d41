/** Templates: what they can do, what they cannot reach, and where they end. */
import { describe, expect, it } from 'vitest'
import { openTemplates } from './template.ts'
import type { Row } from './row.ts'

const ROW: Row = {
  text: 'a {{ b }} <x>',
  tags: ['p', 'q'],
  n: 3,
  about: { level: 'hard' },
  big: 'x'.repeat(1000),
  none: null,
}

async function render(template: string, row: Row = ROW): Promise<unknown> {
  return (await openTemplates()).compile(template).render(row)
}

describe('a template', () => {
  it.each<[string, unknown]>([
    ['Classify: {{ text }}', 'Classify: a {{ b }} <x>'],
    ['{{ tags }}', ['p', 'q']],
    ['{{ n }}', 3],
    ['{{ n }} ', '3 '],
    ['{{ n | plus: 1 }}', 4],
    ['{{ about.level }}', 'hard'],
    ['{{ about | json }}', '{"level":"hard"}'],
    ['{{ tags | join: "/" }}', 'p/q'],
    ['{% for tag in tags %}[{{ tag }}]{% endfor %}', '[p][q]'],
    ['{% if missing %}a{% else %}b{% endif %}', 'b'],
    ['{{ missing | default: "d" }}', 'd'],
    ['{% raw %}{{ text }}{% endraw %}', '{{ text }}'],
  ])('%s', async (template, wanted) => {
    expect(await render(template)).toEqual(wanted)
  })

  it.each([
    '{{ missing }}',
    '{{ about.constructor }}',
    '{{ about.__proto__ }}',
    '{{ __proto__ }}',
    '{{ constructor }}',
    '{{ text.constructor.name }}',
    '{{ process.env.PATH }}',
    '{{ env.PATH }}',
    '{% include "/etc/passwd" %}',
    '{% render "../../package.json" %}',
    '{% layout "x" %}',
    '{{ text | nofilter }}',
    '{{ "now" | date: "%Y" }}',
    '{{ tags | sample }}',
    '{{ tags | where_exp: "x", text }}',
    '{% increment n %}',
    '{{ text',
    '{% if text %}',
  ])('is refused: %s', async (template) => {
    await expect(render(template)).rejects.toThrow(
      expect.objectContaining({ name: 'TemplateError' }),
    )
  })

  it.each([
    '{% for i in (1..30000000) %}x{% endfor %}',
    '{% for i in (1..3000) %}{% for j in (1..3000) %}{% for k in (1..3000) %}{% endfor %}{% endfor %}{% endfor %}',
    '{% assign a = big %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
    '{% if n %}'.repeat(100_000),
  ])('ends within its limits: %.60s', async (template) => {
    await expect(render(template)).rejects.toThrow(/limit|call stack/)
  })

  it('does not change the row', async () => {
    const before = structuredClone(ROW)
    await render(
      '{% assign text = "y" %}{% capture n %}z{% endcapture %}{{ tags | push: "r" | json }}',
    )
    expect(ROW).toEqual(before)
  })
})
