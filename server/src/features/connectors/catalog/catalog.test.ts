import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { toolName } from '../../tools/admission/tool-names.ts'
import { connectorFiles, loadCatalog, SHIPPED_FOLDER } from './catalog.ts'
import { readConnector } from './read-connector.ts'
import { CatalogError, showProblem } from './rules/connector-problem.ts'

const places = { sandbox_url: 'http://localhost:4001' }
const catalog = loadCatalog(places)
const folder = mkdtempSync(join(tmpdir(), 'carabiner-connectors-'))
after(() => rmSync(folder, { recursive: true }))

const inFolder = (files: Record<string, unknown>): string => {
  const own = mkdtempSync(join(folder, 'own-'))
  for (const [name, content] of Object.entries(files))
    writeFileSync(
      join(own, name),
      typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content, null, 2),
    )
  return own
}
const problemsOf = (load: () => unknown): string[] => {
  try {
    load()
  } catch (error) {
    assert.ok(error instanceof CatalogError, String(error))
    return error.problems.map(({ path, reason }) => `${path}: ${reason}`)
  }
  return []
}
const acme = (changes: Partial<ConnectorFile> = {}): unknown => ({
  slug: 'acme',
  name: 'Acme',
  summary: 'Parts',
  categories: ['other'],
  documentation_url: 'https://acme.example/docs',
  authorization: [
    {
      type: 'api_key',
      fields: [{ name: 'api_key', label: 'Key', secret: true }],
      headers: { authorization: 'Bearer {api_key}' },
    },
  ],
  identity: { url: 'https://api.acme.example/me', account: '/email' },
  credential_origins: ['https://api.acme.example'],
  tools: [],
  ...changes,
})

test('catalog: every shipped file passes every rule, including those skipped at startup', () => {
  const found = connectorFiles(SHIPPED_FOLDER).flatMap(name => {
    const text = readFileSync(join(SHIPPED_FOLDER, name), 'utf8')
    const slug = name.slice(0, -'.json'.length)
    const read = readConnector(text, name, { places, slug, rules: true })
    return 'problems' in read ? read.problems.map(showProblem) : []
  })
  assert.deepEqual(found, [])
})

test('catalog: at least 40 vendors, at least 12 of them with five tools or more', () => {
  const vendors = catalog.all().filter(({ slug }) => !slug.startsWith('sandbox-'))
  assert.ok(vendors.length >= 40, `${vendors.length} vendors`)
  assert.ok(vendors.filter(({ tools }) => tools.length >= 5).length >= 12)
  assert.ok(vendors.filter(({ mcp }) => mcp).length >= 10)
})

test('catalog: every shipped connector cites its sources and has valid tool names', () => {
  for (const connector of catalog.all()) {
    assert.ok(connector.slug.startsWith('sandbox-') || connector.source, connector.slug)
    assert.equal(connector.replaces, undefined)
    for (const tool of connector.tools)
      assert.match(toolName(connector.slug, tool.name), /^[a-zA-Z0-9_-]{1,64}$/)
  }
})

test('gitlab: the self-managed connector has the tools of GitLab.com and no OAuth', () => {
  const [hosted, selfManaged] = ['gitlab', 'gitlab-self-managed'].map(
    slug => catalog.find(slug) as ConnectorFile,
  )
  const text = JSON.stringify(selfManaged?.tools).replaceAll('https://{tenant.host}/', 'https://gitlab.com/')
  assert.deepEqual(JSON.parse(text), hosted?.tools)
  assert.deepEqual(
    selfManaged?.authorization.map(({ type }) => type),
    ['api_key'],
  )
})

test('gitlab: the self-managed host must be a domain name', () => {
  const pattern = new RegExp(`^(?:${catalog.find('gitlab-self-managed')?.tenant?.[0]?.pattern})$`)
  for (const host of ['gitlab.example.com', 'git.acme.co.uk', 'GitLab.Example.Com', 'a-b.example'])
    assert.match(host, pattern)
  for (const host of [
    'localhost',
    '127.0.0.1',
    '[::1]',
    'gitlab.example.com:8443',
    'x@evil.example',
    'a..b.example',
  ])
    assert.doesNotMatch(host, pattern)
  for (const host of [
    '-a.example',
    'a-.example',
    'gitlab.example.com.',
    'gitlab.example.com/x',
    '2130706433',
    'a.0x7f',
  ])
    assert.doesNotMatch(host, pattern)
})

test('catalog: without a sandbox its connectors do not exist', () => {
  assert.equal(loadCatalog({}).find('sandbox-notes'), null)
  assert.ok(catalog.find('sandbox-notes'))
  assert.deepEqual(
    problemsOf(() => loadCatalog({}, undefined, { only: ['sandbox-notes'] })),
    [': sandbox-notes needs the sandbox: development mode, and the package @carabiner/sandbox'],
  )
})

test('catalog: an operator’s folder adds connectors, and replaces shipped ones only explicitly', () => {
  assert.equal(loadCatalog(places, inFolder({ 'acme.json': acme() })).find('acme')?.name, 'Acme')
  const github = acme({ slug: 'github' })
  assert.deepEqual(
    problemsOf(() => loadCatalog(places, inFolder({ 'github.json': github }))),
    ['slug: github is already shipped. Choose another slug, or set "replaces": true'],
  )
  const replaced = loadCatalog(places, inFolder({ 'github.json': { ...(github as object), replaces: true } }))
  assert.equal(replaced.find('github')?.name, 'Acme')
})

const png = (width: number, height = width): Buffer => {
  const header = Buffer.alloc(33)
  header.write('89504e470d0a1a0a0000000d49484452', 'hex')
  header.writeUInt32BE(width, 16)
  header.writeUInt32BE(height, 20)
  return header
}

test('logos: shipped connectors of one product share a mark, and others have none', () => {
  const path = (slug: string) => catalog.find(slug)?.logoPath
  assert.match(path('notion') ?? '', /^\/connector-logos\/notion\.[0-9a-f]{12}\.svg$/)
  assert.equal(path('notion-mcp'), path('notion'))
  assert.equal(path('jira-api-token'), path('jira'))
  assert.equal(path('gitlab-self-managed'), path('gitlab'))
  for (const slug of ['slack', 'outlook', 'sandbox-notes']) assert.equal(path(slug), undefined, slug)
  const logo = catalog.findLogo(path('notion') ?? '')
  assert.match(logo?.body.toString() ?? '', /^<svg xmlns="[^"]+" viewBox="0 0 48 48"><path fill="#ffffff"/)
  assert.equal(catalog.findLogo('/connector-logos/notion.svg'), null)
})

test('logos: an operator adds a square PNG beside the connector file, and any other image is a problem', () => {
  const own = loadCatalog(
    places,
    inFolder({ 'acme.json': acme(), 'acme.png': png(128), 'slack.png': png(64) }),
  )
  for (const slug of ['acme', 'slack']) {
    const path = own.find(slug)?.logoPath ?? ''
    assert.match(path, new RegExp(`^/connector-logos/${slug}\\.[0-9a-f]{12}\\.png$`))
    assert.equal(own.findLogo(path)?.type, 'image/png')
  }
  const unmarked = loadCatalog(
    places,
    inFolder({ 'notion-api-token.json': acme({ slug: 'notion-api-token' }) }),
  )
  assert.equal(unmarked.find('notion-api-token')?.logoPath, undefined)
  const problemWith = (image: Buffer | string) =>
    problemsOf(() => loadCatalog(places, inFolder({ 'acme.json': acme(), 'acme.png': image })))
  assert.deepEqual(problemWith('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), [
    ': is not a PNG image',
  ])
  assert.deepEqual(problemWith(png(128, 64)), [
    ': is 128 × 64 pixels; it must be square, with sides of 48 to 1024 pixels',
  ])
  assert.deepEqual(problemWith(png(2048)), [
    ': is 2048 × 2048 pixels; it must be square, with sides of 48 to 1024 pixels',
  ])
  assert.deepEqual(problemWith(Buffer.concat([png(128), Buffer.alloc(300_000)])), [': is larger than 200 kB'])
})

test('catalog: an argument named like an installation placeholder is an argument', () => {
  const tool = {
    name: 'show',
    title: 'Show',
    description: 'Shows it.',
    input_schema: {
      type: 'object',
      properties: { image_url: { type: 'string' } },
      additionalProperties: false,
    },
    scopes: [],
    request: {
      method: 'GET' as const,
      url: 'https://api.acme.example/show',
      query: { image: '{image_url}' },
    },
    read_only: true,
  }
  const own = loadCatalog(places, inFolder({ 'acme.json': acme({ tools: [tool] }) }))
  assert.deepEqual(own.find('acme')?.tools[0]?.request.query, { image: '{image_url}' })
})

test('catalog: only the selected connectors are offered, and unknown slugs are reported', () => {
  const some = loadCatalog(places, undefined, { only: ['github', 'slack'] })
  assert.deepEqual(
    some.all().map(({ slug }) => slug),
    ['github', 'slack'],
  )
  assert.equal(some.find('notion'), null)
  assert.deepEqual(
    problemsOf(() => loadCatalog(places, undefined, { only: ['githab'] })),
    [': there is no connector githab; did you mean github?'],
  )
})

test('catalog: a stand-in replaces every address of its origin and no other', () => {
  const standIns = {
    'https://www.googleapis.com': 'http://localhost:5001',
    'https://oauth2.googleapis.com': 'http://localhost:5002',
  }
  const drive = loadCatalog(places, undefined, { standIns }).find('google-drive') as ConnectorFile
  const shipped = catalog.find('google-drive') as ConnectorFile
  assert.ok(
    drive.tools.every(({ request }) => /^http:\/\/localhost:5001\/(upload\/)?drive\/v3\//.test(request.url)),
  )
  assert.deepEqual(drive.credential_origins, [
    'http://localhost:5001',
    'https://openidconnect.googleapis.com',
  ])
  assert.equal(oauthMethod(drive)?.token_endpoint, 'http://localhost:5002/token')
  assert.equal(oauthMethod(drive)?.revocation?.endpoint, 'http://localhost:5002/revoke')
  assert.deepEqual(oauthMethod(drive)?.scopes, oauthMethod(shipped)?.scopes)
  assert.equal(drive.documentation_url, shipped.documentation_url)
})

test('catalog: a stand-in replaces addresses with tenant placeholders', () => {
  const standIns = { 'https://{tenant.domain}': 'http://localhost:5001' }
  const okta = loadCatalog(places, undefined, { standIns }).find('okta') as ConnectorFile
  const shipped = catalog.find('okta') as ConnectorFile
  assert.deepEqual(okta.credential_origins, ['http://localhost:5001'])
  assert.equal(oauthMethod(okta)?.issuer, 'http://localhost:5001')
  assert.equal(oauthMethod(okta)?.token_endpoint, 'http://localhost:5001/oauth2/v1/token')
  assert.equal(okta.identity?.url, 'http://localhost:5001/api/v1/users/me')
  assert.ok(okta.tools.every(({ request }) => request.url.startsWith('http://localhost:5001/api/v1/')))
  assert.deepEqual(okta.tenant, shipped.tenant, 'the field is still required')
})

test('catalog: stand-ins also replace the origins of an operator’s own files', () => {
  const standIns = { 'https://api.acme.example': 'http://localhost:5001' }
  const own = loadCatalog(places, inFolder({ 'acme.json': acme() }), { standIns })
  assert.equal(own.find('acme')?.identity?.url, 'http://localhost:5001/me')
  assert.deepEqual(own.find('acme')?.credential_origins, ['http://localhost:5001'])
})

test('catalog: all problems of all files are reported with file, line and column', () => {
  const own = inFolder({
    'acme.json': acme({ name: '', colour: 'red' } as object),
    'broken.json': '{\n  "slug": "broken",\n  "name": "Broken",\n}',
  })
  assert.throws(
    () => loadCatalog(places, own),
    (error: Error) => {
      assert.ok(error instanceof CatalogError)
      assert.match(error.message, /^2 connector files are not valid:/)
      assert.match(error.message, /acme\.json:3:3 {2}name: must not be empty/)
      assert.match(error.message, /acme\.json:\d+:3 {2}colour: is not a known field; known fields: /)
      assert.match(error.message, /broken\.json:4:1 {2}there is an extra comma before this/)
      return true
    },
  )
})
