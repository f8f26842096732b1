import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { installOpenapiTools } from '../support/openapi-tools.ts'
import { joinTestService } from '../support/test-service.ts'

const DOCUMENT = join(import.meta.dirname, '../../../docs/api/openapi.json')
type Document = { paths: Record<string, Record<string, { operationId?: string; tags?: string[] }>> }

describe('API document: other tools', () => {
  let folder: string
  let programs: string
  let bin: (name: string) => string
  before(async () => {
    const installed = await installOpenapiTools()
    programs = installed.programs
    bin = name => join(installed.packages, 'node_modules/.bin', name)
    folder = mkdtempSync(join(programs, 'run-'))
    writeFileSync(join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n')
    writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\ntelemetry: off\n')
    const broken = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document
    for (const operation of Object.values(broken.paths['/api/v1/organization'] ?? {})) {
      delete operation.operationId
      delete operation.tags
    }
    writeFileSync(join(folder, 'broken.json'), JSON.stringify(broken))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** The exit code depends on whether there are findings, which are part of the output as well. */
  const run = async (name: string, args: string[]): Promise<string> =>
    promisify(execFile)(bin(name), args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    )

  const lintWithRedocly = async (document: string): Promise<string[]> => {
    const output = await run('redocly', ['lint', document, '--config', 'redocly.yaml', '--format=json'])
    const { problems } = JSON.parse(output) as { problems: { ruleId: string; message: string }[] }
    return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
  }

  const lintWithSpectral = async (document: string): Promise<string[]> => {
    const args = ['lint', document, '--ruleset', 'spectral.yaml', '--format', 'json', '--quiet']
    const findings = JSON.parse(await run('spectral', args)) as { code: string; path: string[] }[]
    return findings.map(({ code, path }) => `${code}: ${path.join('/')}`)
  }

  it('Redocly’s recommended rules find nothing', async () => {
    assert.deepEqual(await lintWithRedocly(DOCUMENT), [])
    assert.notDeepEqual(await lintWithRedocly('broken.json'), [])
  })

  it('Spectral’s rules for OpenAPI find nothing', async () => {
    assert.deepEqual(await lintWithSpectral(DOCUMENT), [])
    assert.notDeepEqual(await lintWithSpectral('broken.json'), [])
  })

  it('openapi-typescript generates a client that compiles and works', async context => {
    const service = await joinTestService()
    context.after(() => service.stop())
    await run('openapi-typescript', [DOCUMENT, '-o', 'api.d.ts'])
    // The file has another name here, because its packages are not installed.
    cpSync(join(programs, 'client.ts.template'), join(folder, 'client.ts'))
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
    const types = join(import.meta.dirname, '../../../node_modules/@types')
    const findings = await run('tsc', [...options, '--typeRoots', types, '--skipLibCheck', 'client.ts'])
    assert.equal(findings, '')
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(folder, 'client.ts'),
      service.baseUrl,
      service.organization.key,
    ])
    const { expires_at, code, users } = JSON.parse(stdout) as Record<string, unknown>
    assert.ok(Date.parse(String(expires_at)) > Date.now())
    assert.equal(code, 'registered_user_not_found')
    assert.deepEqual(users, ['generated'])
  })
})
