import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SHIPPED_FOLDER } from './catalog.ts'
import { contrast, type Mark, tileColors } from './connector-logo.ts'

test('tileColors: every shipped mark has a contrast of at least 3:1 with its tile', () => {
  const marks: Record<string, Mark> = JSON.parse(
    readFileSync(join(SHIPPED_FOLDER, 'logos/marks.json'), 'utf8'),
  )
  for (const [name, { color }] of Object.entries(marks)) {
    const { background, foreground } = tileColors(color)
    assert.ok(contrast(background, foreground) >= 3, `${name}: ${foreground} on ${background}`)
  }
})

test('tileColors: keeps a visible color, darkens a light one, and puts a dark mark on a pale one', () => {
  assert.deepEqual(tileColors('#0052cc'), { background: '#ffffff', foreground: '#0052cc' })
  assert.deepEqual(tileColors('#000000'), { background: '#ffffff', foreground: '#000000' })
  const { background, foreground } = tileColors('#18bfff')
  assert.equal(background, '#ffffff')
  assert.ok(foreground < '#18bfff')
  assert.deepEqual(tileColors('#ffe01b'), { background: '#ffe01b', foreground: '#14171f' })
  assert.deepEqual(tileColors('#ffffff'), { background: '#ffffff', foreground: '#14171f' })
})

test('shipped marks contain only path data and a color', () => {
  const text = readFileSync(join(SHIPPED_FOLDER, 'logos/marks.json'), 'utf8')
  for (const [name, { color, path }] of Object.entries(JSON.parse(text) as Record<string, Mark>)) {
    assert.match(color, /^#[0-9a-f]{6}$/, name)
    assert.match(path, /^[MmZzLlHhVvCcSsQqTtAa0-9eE.,\s-]+$/, name)
  }
})
