import { html, type SafeHtml } from '@remix-run/html-template'
import { isolated } from './connector-text.ts'
import { icon } from './icons.ts'
import type { Abilities, ConnectorDisplay, ConnectorText, Frame, Permission, ToolKind } from './model.ts'
import { inline } from './words/sentence.ts'

/** The number of tools listed by name before the rest is collapsed. */
const MAX_LISTED_TOOLS = 3

/** The assistant's abilities in the account, shown before the person agrees, on every path. */
export function abilityList({ words }: Frame, connector: ConnectorDisplay, abilities: Abilities): SafeHtml {
  return html`<section class="permissions"><h2>${inline(words.consent.permissions)}</h2>
<ul>${items(words, connector, abilities)}</ul></section>`
}

function items(words: Frame['words'], connector: ConnectorDisplay, abilities: Abilities): SafeHtml[] {
  switch (abilities.by) {
    case 'tools':
      return abilities.groups.map(group => toolGroup(words, group))
    case 'scopes':
      return abilities.permissions.map(permission)
    case 'account': {
      const { title, detail } = words.consent.wholeAccount
      return [item(inline(title(connector.name)), html`<small>${inline(detail)}</small>`)]
    }
  }
}

function toolGroup(
  words: Frame['words'],
  { kind, tools }: { kind: ToolKind; tools: ConnectorText[] },
): SafeHtml {
  // Collapsing a single tool would save no space.
  const listed = tools.length <= MAX_LISTED_TOOLS + 1 ? tools.length : MAX_LISTED_TOOLS
  const rest = tools.slice(listed)
  return item(
    inline(words.consent.kinds[kind]),
    html`<small>${joined(tools.slice(0, listed))}</small>${
      rest.length === 0
        ? null
        : html`<details><summary>${inline(words.consent.more(rest.length))}</summary><small>${joined(rest)}</small></details>`
    }`,
  )
}

const joined = (titles: ConnectorText[]): SafeHtml =>
  html`${titles.map((title, i) => [i === 0 ? null : ' · ', isolated(title)])}`

const permission = ({ title, detail }: Permission): SafeHtml =>
  item(isolated(title), detail === null ? null : html`<small>${isolated(detail)}</small>`)

const item = (title: SafeHtml, detail: SafeHtml | null): SafeHtml =>
  html`<li>${icon('check')}<div>${title}${detail}</div>
`
