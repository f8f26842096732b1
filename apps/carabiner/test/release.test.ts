import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProblems } from '../../../scripts/packages/release.ts'

const ready = {
  changes: '',
  changelog: '# Changelog\n\n## 0.1.0\n\n- First.\n',
  versions: new Map([
    ['sdk', '0.1.0'],
    ['link', '0.1.0'],
  ]),
}

test('release: a clean tree, equal versions and a section of the changelog have no problems', () => {
  assert.deepEqual(findProblems(ready), [])
})

test('release: names changed files, differing versions and a missing section', () => {
  const [changes] = findProblems({ ...ready, changes: ' M README.md' })
  assert.match(changes ?? '', /README\.md/)
  const versions = new Map([...ready.versions, ['cli', '0.2.0']])
  assert.deepEqual(findProblems({ ...ready, versions }), ['cli has the version 0.2.0, not 0.1.0.'])
  for (const changelog of ['## Unreleased', '## 0.1.00', '## 10.1.0', 'in ## 0.1.0'])
    assert.equal(findProblems({ ...ready, changelog }).length, 1, changelog)
})
