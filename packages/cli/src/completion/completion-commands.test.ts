import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { runWords } from '../../test/run-words.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-completion-'))
after(() => rmSync(folder, { recursive: true }))

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0

const scriptOf = async (shell: string): Promise<string> => {
  const path = join(folder, `completion.${shell}`)
  writeFileSync(path, `${(await runWords(['completion', shell], {})).text}\n`)
  return path
}

const run = (shell: string, code: string): string[] => {
  const { stdout, stderr, status } = spawnSync(shell, ['-c', code], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.equal(stderr, '')
  return stdout.split('\n').filter(line => line !== '')
}

/** The words that bash would offer after this line. */
const completeInBash = async (...words: string[]): Promise<string[]> =>
  run(
    'bash',
    `source ${await scriptOf('bash')}
compopt() { :; }
COMP_WORDS=(carabiner ${words.map(word => `'${word}'`).join(' ')})
COMP_CWORD=${words.length}
_carabiner
printf '%s\\n' "\${COMPREPLY[@]}"`,
  )

describe('carabiner completion', () => {
  it('bash: completes commands, subcommands, options and choices', async () => {
    assert.deepEqual(await completeInBash('us'), ['users', 'usage'])
    assert.deepEqual(await completeInBash('users', 'de'), ['deactivate', 'delete'])
    assert.deepEqual(await completeInBash('users', 'list', '--se'), ['--search'])
    assert.deepEqual(await completeInBash('usage', '--by', ''), ['day', 'user', 'connector', 'tool'])
    assert.deepEqual(await completeInBash('organization-accounts', 'un'), ['unshare'])
    assert.deepEqual(await completeInBash('mcp', 'config', 'ana', '--client', 'cu'), ['cursor'])
    const words = 'bash zsh fish --json --profile --verbose --help'.split(' ')
    assert.deepEqual(await completeInBash('completion', ''), words)
  })

  it('bash: skips options and their values before a command', async () => {
    assert.deepEqual(await completeInBash('--profile', 'users', 'packs', 'to'), ['tools'])
    assert.deepEqual(await completeInBash('users', '--json', 'sh'), ['show'])
    assert.deepEqual(
      await completeInBash('users', 'list', '--search', 'li'),
      [],
      'values are files, by default',
    )
  })

  it('zsh: the script defines the completion of every command', { skip: !isInstalled('zsh') }, async () => {
    const path = await scriptOf('zsh')
    const code = `autoload -Uz compinit; compinit -D -u; source ${path}
_carabiner_nodes 'users'; print -l $reply; _carabiner_choices 'usage --by'; print -l $reply; print $_comps[carabiner]`
    const lines = run('zsh', code)
    assert.ok(lines.includes('list:List Registered Users, oldest first'))
    assert.ok(lines.includes('connector'))
    assert.equal(lines.at(-1), '_carabiner')
  })

  it('fish: completes commands, options and choices', { skip: !isInstalled('fish') }, async () => {
    const path = await scriptOf('fish')
    const complete = (line: string) =>
      run('fish', `source ${path}; complete -C '${line}'`).map(each => each.split('\t')[0])
    assert.deepEqual(new Set(complete('carabiner us')), new Set(['usage', 'users']))
    assert.deepEqual(new Set(complete('carabiner users de')), new Set(['deactivate', 'delete']))
    assert.deepEqual(complete('carabiner users list --se'), ['--search'])
    assert.deepEqual(complete('carabiner usage --by d'), ['day'])
  })

  it('rejects another shell', async () => {
    await assert.rejects(runWords(['completion', 'tcsh'], {}), /Allowed choices are bash, zsh, fish/)
  })
})
