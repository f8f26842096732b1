import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApprovalPreview } from '@carabiner/contract'
import { isUnchanged } from './preview.ts'

const preview = (name: string, members = '3'): ApprovalPreview => ({
  is_loaded: true,
  fields: [
    { label: 'Channel', text: name, display_only: false },
    { label: 'Members', text: members, display_only: true },
  ],
})
const missing: ApprovalPreview = { is_loaded: false, fields: [] }

test('isUnchanged: compares the values of each preview that was seen, except those for display only', () => {
  assert.ok(isUnchanged([preview('general')], [preview('general', '4')]))
  assert.ok(!isUnchanged([preview('general')], [preview('random')]))
  assert.ok(!isUnchanged([preview('general'), preview('a')], [preview('general'), preview('b')]))
  assert.ok(!isUnchanged([preview('general')], [{ ...preview('general'), fields: [] }]))
})

test('isUnchanged: a preview that was not seen is not compared, and one that is missing now has changed', () => {
  assert.ok(isUnchanged([], [preview('general')]))
  assert.ok(isUnchanged([missing], [preview('general')]))
  assert.ok(isUnchanged([missing, preview('a')], [missing, preview('a')]))
  assert.ok(!isUnchanged([preview('general')], [missing]))
  assert.ok(!isUnchanged([preview('general')], []))
})
