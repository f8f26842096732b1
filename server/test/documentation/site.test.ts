import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPages } from '../../../docs/.vitepress/site/navigation.ts'

/** The site that `scripts/run.mjs` has built before the tests. A dead link between pages fails the build itself. */
const docs = join(import.meta.dirname, '../../../docs')
const site = join(docs, '.vitepress/dist')
const pages = readPages(docs)
const documents = globSync('**/*.html', { cwd: site })
const read = (name: string): string => readFileSync(join(site, name), 'utf8')

const documentOf = (path: string): string | undefined => {
  const name = path.replace(/^\/docs\/?/, '').replace(/\/$/, '')
  return [`${name}.html`, name === '' ? 'index.html' : `${name}/index.html`, name].find(
    file => file !== '' && existsSync(join(site, file)),
  )
}

const idsOf = new Map(
  documents.map(name => [name, new Set([...read(name).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
)

test('site: every page has a document, a description and its Markdown source', () => {
  assert.ok(pages.length > 100)
  for (const { file, section, title, description } of pages) {
    const document = read(file.replace(/\.md$/, '.html'))
    assert.ok(document.includes('<main'), file)
    assert.match(read(file), /^[#<]/, file)
    if (section === 'project') continue
    assert.ok(title.length > 2 && title.length < 60, `${file}: title "${title}"`)
    assert.ok(description.length > 20, `${file}: description "${description}"`)
  }
})

test('site: every link within the site has a page, and its fragment a heading', () => {
  const broken = documents.flatMap(name =>
    [...read(name).matchAll(/<a [^>]*href="([^"]+)"/g)].flatMap(([, href = '']) => {
      if (/^(?:https?:|mailto:)/.test(href)) return []
      const [path = '', fragment] = href.split('#')
      const target = path === '' ? name : documentOf(path)
      if (target === undefined) return [`${name}: ${href}`]
      const isKnown = !fragment || idsOf.get(target)?.has(decodeURIComponent(fragment)) === true
      return isKnown ? [] : [`${name}: ${href}`]
    }),
  )
  assert.deepEqual(broken, [])
})

test('site: documents contain no style attribute, no foreign address and no unresolved include', () => {
  for (const name of documents) {
    const document = read(name)
    assert.doesNotMatch(document, / style="|<style/, name)
    assert.doesNotMatch(document, /<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\//, name)
    assert.doesNotMatch(document, /@include/, name)
  }
})

test('site: style sheets and scripts load nothing from other hosts', () => {
  for (const name of globSync('assets/**/*.css', { cwd: site }))
    assert.doesNotMatch(read(name), /url\(["']?(?:https?:)?\/\/|@import/, name)
})

test('site: llms.txt lists every page, and llms-full.txt contains every page', () => {
  const index = read('llms.txt')
  const text = read('llms-full.txt')
  for (const { file, source } of pages) {
    if (file !== 'index.md') assert.ok(index.includes(`](/docs/${file})`), file)
    assert.ok(text.includes(source.trim()), file)
  }
})
