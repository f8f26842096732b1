import type { MarkdownOptions } from 'vitepress'

type Theme = Exclude<MarkdownOptions['theme'], undefined>
type Transformer = NonNullable<MarkdownOptions['codeTransformers']>[number]

/**
 * The content security policy allows no `style` attributes. Each color of this theme therefore stands for a class, which
 * `theme/code.css` defines for both color schemes.
 */
const SCOPES: Record<string, string[]> = {
  comment: ['comment', 'punctuation.definition.comment'],
  keyword: ['keyword', 'storage', 'variable.language.this', 'entity.name.tag', 'keyword.operator.expression'],
  string: ['string', 'punctuation.definition.string', 'markup.inline.raw', 'constant.character.escape'],
  number: ['constant.numeric', 'constant.language', 'constant.other', 'variable.parameter.option'],
  name: [
    'entity.name.function',
    'support.function',
    'entity.name.type',
    'support.class',
    'entity.name.command',
  ],
  property: [
    'support.type.property-name',
    'meta.object-literal.key',
    'entity.other.attribute-name',
    'entity.name.tag.yaml',
    'variable.other.normal.shell',
    'keyword.other.definition.ini',
  ],
  punctuation: ['punctuation.separator', 'punctuation.terminator', 'meta.brace', 'keyword.operator'],
  added: ['markup.inserted'],
  removed: ['markup.deleted'],
}

const names = Object.keys(SCOPES)
const colorOf = (name: string): string => `#0000${(names.indexOf(name) + 1).toString(16).padStart(2, '0')}`
const classOf = new Map(names.map(name => [colorOf(name), `code-${name}`]))

export const codeTheme: Theme = {
  name: 'carabiner',
  type: 'light',
  colors: { 'editor.foreground': '#000000', 'editor.background': '#ffffff' },
  settings: names.map(name => ({ scope: SCOPES[name] as string[], settings: { foreground: colorOf(name) } })),
}

export const colorsToClasses: Transformer = {
  name: 'colors-to-classes',
  pre: node => {
    delete node.properties.style
  },
  span: node => {
    const { style = '' } = node.properties as { style?: string }
    const [, color = ''] = /color:(#\w+)/.exec(style) ?? []
    delete node.properties.style
    const name = classOf.get(color.toLowerCase())
    if (name) node.properties.class = name
  },
}
