import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quotePlaceholders } from './quote-placeholders.ts'

const X = '[REDACTED:X]'

test('quotePlaceholders: a JSON number that became a placeholder is written as a string', () => {
  assert.equal(
    quotePlaceholders(
      '{"a": 12, "b": ["12", 12], "c": "say \\"12\\""}',
      `{"a": ${X}, "b": ["${X}", ${X}], "c": "say \\"${X}\\""}`,
    ),
    `{"a": "${X}", "b": ["${X}", "${X}"], "c": "say \\"${X}\\""}`,
  )
})

test('quotePlaceholders: text that is not JSON, or cannot become valid JSON, stays as it was redacted', () => {
  for (const [original, redacted] of [
    ['call 12, now', `call ${X}, now`],
    ['{not json 12}', `{not json ${X}}`],
    ['{"a": "12"}', `{"a": "${X}"}`],
    ['{"a": -12.5}', `{"a": -${X}.5}`],
    ['[1]', '[1]'],
  ] as const)
    assert.equal(quotePlaceholders(original, redacted), redacted)
})
