import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hasHidden, mixedWords, revealHidden } from './hidden-characters.ts'

const shown = (text: string): string =>
  revealHidden(text)
    .map(part => part.mark ?? part.text)
    .join('')

describe('hidden characters', () => {
  it('marks bidirectional, zero-width, control and space characters with code point and name', () => {
    const cases: [text: string, expected: string][] = [
      ['invoice\u202Efdp.exe', 'invoice⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩fdp.exe'],
      ['pay\u200Bpal', 'pay⟨U+200B ZERO WIDTH SPACE⟩pal'],
      ['\u2066a\u2069', '⟨U+2066 LEFT-TO-RIGHT ISOLATE⟩a⟨U+2069 POP DIRECTIONAL ISOLATE⟩'],
      ['a\u0000b\u001B[31m', 'a⟨U+0000 NULL⟩b⟨U+001B ESCAPE⟩[31m'],
      ['a\u0085b', 'a⟨U+0085 CONTROL CHARACTER⟩b'],
      ['a\u00A0b\u2003c', 'a⟨U+00A0 NO-BREAK SPACE⟩b⟨U+2003 UNUSUAL SPACE⟩c'],
      ['a\u2028b', 'a⟨U+2028 LINE SEPARATOR⟩b'],
      ['\u3164\u2800', '⟨U+3164 HANGUL FILLER⟩⟨U+2800 BRAILLE PATTERN BLANK⟩'],
      ['\u{E0068}\u{E0069}', '⟨U+E0068 TAG h⟩⟨U+E0069 TAG i⟩'],
      ['a\u{E0101}', 'a⟨U+E0101 VARIATION SELECTOR⟩'],
      ['a\uFE0F', 'a⟨U+FE0F VARIATION SELECTOR⟩'],
      ['\uE000', '⟨U+E000 PRIVATE USE⟩'],
      ['a\uD800b', 'a⟨U+D800 LONE SURROGATE⟩b'],
      ['\uFFFF', '⟨U+FFFF UNASSIGNED CODE POINT⟩'],
      ['a\rb', 'a⟨U+000D CARRIAGE RETURN⟩b'],
    ]
    for (const [text, expected] of cases) {
      assert.equal(shown(text), expected)
      assert.ok(hasHidden(text), expected)
    }
  })

  it('shows ordinary text, line breaks, tabs, other scripts and emoji as they are', () => {
    for (const text of [
      '',
      'One\nTwo\r\nThree\tFour',
      'Café, naïve, Ærø',
      'שלום and مرحبا',
      '日本語',
      '👩‍💻 👨‍👩‍👧 🏳️‍🌈 ❤️ 1️⃣ 👍🏽',
    ]) {
      assert.equal(shown(text), text)
      assert.equal(hasHidden(text), false, text)
    }
  })

  it('marks a joiner that joins no emoji', () => {
    assert.equal(shown('a\u200Db'), 'a⟨U+200D ZERO WIDTH JOINER⟩b')
    assert.equal(shown('👍\u200D'), '👍⟨U+200D ZERO WIDTH JOINER⟩')
  })

  it('counts repetitions, so that a flood of one character stays one mark', () => {
    assert.equal(shown(`a${'\u200B'.repeat(1000)}b`), 'a⟨U+200B ZERO WIDTH SPACE ×1000⟩b')
    assert.equal(
      shown('\u200B\u200B\u200C\u200B'),
      '⟨U+200B ZERO WIDTH SPACE ×2⟩⟨U+200C ZERO WIDTH NON-JOINER⟩⟨U+200B ZERO WIDTH SPACE⟩',
    )
  })

  it('loses no character of the text', () => {
    const text = 'a\u202Eb\u200B\u200B c\u{1F600}\uD83D\u00ADd'
    const kept = revealHidden(text).flatMap(part => part.text ?? [])
    assert.deepEqual(kept, ['a', 'b', ' c\u{1F600}', 'd'])
  })

  it('finds words that mix Latin letters with similar ones of another alphabet', () => {
    assert.deepEqual(mixedWords('Pay p\u0430ypal and \u0391pple, p\u0430ypal again'), [
      'p\u0430ypal (U+0430)',
      '\u0391pple (U+0391)',
    ])
    assert.deepEqual(mixedWords('Привет, world. Ωmega is not, café is fine: κόσμε'), ['Ωmega (U+03A9)'])
    assert.deepEqual(mixedWords('plain text'), [])
  })

  it('takes linear time for many alternating hidden characters', () => {
    const started = performance.now()
    assert.ok(revealHidden('\u200D\uFE0F'.repeat(50_000)).length > 0)
    assert.ok(revealHidden('a\u200B'.repeat(50_000)).length === 100_000)
    assert.ok(performance.now() - started < 10_000)
  })
})
