import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { CommandError } from '@carabiner/cli'
import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { runWords } from '../../test/run-words.ts'
import { matchesPattern } from '../openapi/tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-connectors-'))
after(() => rmSync(folder, { recursive: true }))
const DOCUMENTS = join(import.meta.dirname, '../../test')

const emptyFolder = (): string => mkdtempSync(join(folder, 'out-'))
const run = (...args: string[]) => runWords(['connectors', ...args], {})

const importDocument = async (document: string, ...options: string[]) => {
  const out = emptyFolder()
  const output = await run('import', join(DOCUMENTS, document), '--out', out, ...options)
  const data = output.data as {
    file: string
    partial: string[]
    skipped: string[]
    guessed: string[]
    todo: string[]
    tools: string[]
  }
  return {
    ...data,
    text: output.text,
    out,
    connector: JSON.parse(readFileSync(data.file, 'utf8')) as ConnectorFile,
  }
}
const importError = async (text: string, ...options: string[]): Promise<string> => {
  const out = emptyFolder()
  const document = join(out, 'document.yaml')
  writeFileSync(document, text)
  const target = join(out, 'made')
  let message = ''
  await assert.rejects(run('import', document, '--out', target, ...options), (error: Error) => {
    message = error.message
    return error instanceof CommandError
  })
  assert.ok(!existsSync(target), 'nothing is written')
  return message
}

describe('carabiner connectors check', () => {
  it('finds every shipped file valid', async () => {
    const output = await run('check')
    assert.equal(output.failed, false)
    assert.match(output.text, /^\d+ connector files are valid\.$/)
  })

  it('reports every problem with its position, as text and JSON, and fails', async () => {
    const own = emptyFolder()
    writeFileSync(join(own, 'acme.json'), '{\n  "slug": "acme",\n  "nmae": "Acme"\n}')
    writeFileSync(join(own, 'bad.json'), '{')
    const output = await run('check', own)
    assert.equal(output.failed, true)
    assert.match(output.text, /acme\.json:3:3 {2}nmae: is not a known field; did you mean name\?/)
    assert.match(output.text, /bad\.json:1:2 {2}the text ends too early/)
    assert.match(output.text, /2 of 2 files are not valid\.$/)
    const { problems } = output.data as { problems: { file: string; line: number; path: string }[] }
    assert.ok(problems.some(({ line, path }) => line === 3 && path === 'nmae'))
  })

  it('checks the logos beside the files', async () => {
    const own = emptyFolder()
    writeFileSync(join(own, 'github.png'), 'not an image')
    const output = await run('check', own)
    assert.equal(output.failed, true)
    assert.match(output.text, /github\.png:1:1 {2}.*PNG/)
  })

  it('reports an operator’s file that repeats a shipped slug implicitly', async () => {
    const own = emptyFolder()
    const text = readFileSync(join(import.meta.dirname, '../../../../connectors/attio.json'), 'utf8')
    writeFileSync(join(own, 'attio.json'), text)
    assert.match((await run('check', own)).text, /attio is already shipped/)
  })

  it('exits with a failure code', async () => {
    const own = emptyFolder()
    writeFileSync(join(own, 'bad.json'), '{')
    const program = join(import.meta.dirname, '../../bin/carabiner.mjs')
    const checked = (path: string) =>
      spawnSync(process.execPath, [program, 'connectors', 'check', path, '--json'], { encoding: 'utf8' })
    const bad = checked(own)
    assert.equal(bad.status, 1)
    assert.equal((JSON.parse(bad.stdout) as { problems: unknown[] }).problems.length, 1)
    assert.equal(checked(join(import.meta.dirname, '../../../../connectors/attio.json')).status, 0)
  })

  it('reports usage errors', async () => {
    await assert.rejects(run('check', '/nowhere'), /There is no file or folder \/nowhere/)
    await assert.rejects(run('destroy'), /Unknown command 'destroy'\. *\n?See `carabiner connectors --help`/)
    await assert.rejects(run('check', '--what'), /--what/)
    assert.match((await run()).text, /import \[options\] <document>/)
  })
})

describe('carabiner connectors import', () => {
  it('creates a valid connector from a YAML document with OAuth and a token', async () => {
    const { connector, out, text } = await importDocument('library.yaml')
    assert.equal((await run('check', out)).failed, false)
    assert.equal(connector.slug, 'town-library')
    const [oauth, key] = connector.authorization
    assert.ok(oauth?.type === 'oauth2' && key?.type === 'api_key')
    assert.deepEqual(oauth.scopes, [
      { name: 'loans.read', title: 'See your loans and reservations' },
      { name: 'loans.write', title: 'Reserve and renew books', optional: true },
    ])
    assert.deepEqual(key.headers, { Authorization: 'Bearer {token}' })
    assert.equal(connector.identity?.url, 'https://api.library.example/v2/me')
    assert.deepEqual(connector.credential_origins, ['https://api.library.example'])
    assert.match(text, /To do, because the document does not contain it:\n {2}- identity: .* is a guess/)
  })

  it('creates tools from operations, with names and arguments', async () => {
    const { connector, tools } = await importDocument('library.yaml')
    assert.deepEqual(tools, [
      'get_me',
      'search_books',
      'search_books_2',
      'delete_book',
      'notes_create',
      'replace_records',
    ])
    const named = Object.fromEntries(connector.tools.map(tool => [tool.name, tool])) as Record<
      string,
      ConnectorTool
    >
    assert.deepEqual(named.search_books?.request, {
      method: 'GET',
      url: 'https://api.library.example/v2/books',
      query: { page: '{page}', q: '{q}', tag: '{tag}', ids: '{ids}' },
      headers: { 'Accept-Language': '{accept_language}' },
    })
    assert.deepEqual(named.search_books.input_schema.required, ['q'])
    assert.equal(named.search_books.description, 'Searches the catalog. All words must match.')
    const { ids } = named.search_books.input_schema.properties as Record<string, unknown>
    assert.deepEqual(ids, { type: 'string', description: 'Several are joined by ",".' })
    assert.deepEqual(named.delete_book?.effects, ['deletes'])
    assert.deepEqual(named.delete_book.scopes, ['loans.write'])
    assert.equal(named.search_books_2?.request.url, 'https://api.library.example/v2/books/{book_id}')
    assert.equal(named.replace_records?.request.body, '{body}')
  })

  it('guesses effects from method, name and path, and says that they need a check', async () => {
    const { connector, todo } = await importDocument('orders.yaml')
    assert.deepEqual(Object.fromEntries(connector.tools.map(({ name, effects }) => [name, effects])), {
      list_orders: undefined,
      create_order: [],
      drop_order: ['deletes'],
      cancel_order: ['suspends'],
      order_money_back: ['pays'],
      send_confirmation: ['sends'],
      update_order_block: ['suspends'],
    })
    assert.ok(todo.some(line => line.startsWith('tools, effects: guessed')))
  })

  it('gives a role only to arguments in the path, and says that the others may need one', async () => {
    const rolesIn = async (document: string) => {
      const { connector, todo } = await importDocument(document)
      assert.ok(todo.some(line => line.startsWith('tools, roles: only arguments in the path have one')))
      return Object.fromEntries(connector.tools.map(({ name, roles }) => [name, roles]))
    }
    const orders = await rolesIn('orders.yaml')
    assert.deepEqual(orders.cancel_order, { id: 'target' })
    assert.deepEqual(orders.create_order, { item: 'none' })
    assert.deepEqual((await rolesIn('library.yaml')).replace_records, { body: 'none' })
  })

  it('skips an operation whose body cannot be sent, and reports it', async () => {
    const { tools, skipped } = await importDocument('orders.yaml')
    assert.ok(!tools.includes('upload_attachment'), tools.join())
    assert.deepEqual(skipped, [
      'POST /orders/{id}/attachments: its body is multipart/form-data, and only JSON and forms can be sent',
    ])
  })

  it('expands schemas: references, inheritance, recursion, and no read-only properties', async () => {
    const { connector } = await importDocument('library.yaml')
    const create = connector.tools.find(({ name }) => name === 'notes_create')
    assert.ok(create)
    const { properties, required } = create.input_schema as {
      properties: Record<string, any>
      required: string[]
    }
    assert.deepEqual(Object.keys(properties), ['book_id', 'title', 'chapters', 'text', 'due'])
    assert.deepEqual(required, ['book_id', 'text'])
    assert.deepEqual(properties.text, { type: 'string', maxLength: 2000 })
    assert.equal(properties.due.description, 'When it is due. Format: date.')
    assert.ok(JSON.stringify(properties.chapters).length < 2000)
    assert.deepEqual(create.request.body, {
      title: '{title}',
      chapters: '{chapters}',
      text: '{text}',
      due: '{due}',
    })
  })

  it('keeps what a document says: allowed values, defaults, maps, repeated requests and pages', async () => {
    const { connector, guessed, out } = await importDocument('market.yaml')
    assert.equal((await run('check', out)).failed, false)
    const named = Object.fromEntries(connector.tools.map(tool => [tool.name, tool])) as Record<
      string,
      ConnectorTool
    >
    const { list_orders: list, create_order: create } = named
    assert.ok(list && create)
    assert.deepEqual(list.input_schema, {
      type: 'object',
      properties: {
        status: {
          type: 'string',
          description: 'States. Allowed: open, in-transit, done. Several are joined by ",".',
          pattern: '^(?:open|in-transit|done)(?:,(?:open|in-transit|done))*$',
        },
        limit: { type: 'integer', maximum: 100, default: 20 },
      },
      additionalProperties: false,
    })
    assert.deepEqual(list.request.headers, { 'X-Api-Version': '2026-01' }, 'a constant, and not an argument')
    assert.deepEqual(list.pagination, {
      type: 'cursor',
      parameter: 'page_token',
      next: '/page/next_page_token',
      more: '/page/has_more',
    })
    assert.ok(
      guessed.includes('GET /orders: its pages are taken to follow page_token and /page/next_page_token'),
    )
    assert.equal(create.idempotency_header, 'Idempotency-Key')
    const { labels, category } = create.input_schema.properties as Record<string, any>
    assert.deepEqual(labels, { type: 'object', additionalProperties: { type: 'string', maxLength: 40 } })
    assert.deepEqual(
      category.properties.parent.properties.parent,
      { type: 'object' },
      'twice, and no further',
    )
  })

  it('names operations without an ID by what they do', async () => {
    assert.deepEqual((await importDocument('market.yaml')).tools, [
      'list_orders',
      'create_order',
      'get_order',
      'delete_order',
      'cancel_order',
      'list_order_items',
      'create_order_item',
      'search_orders',
      'get_account',
    ])
  })

  it('lists operations that were imported in part apart from skipped ones', async () => {
    const { partial, skipped, text } = await importDocument('market.yaml')
    assert.deepEqual(partial, [
      'GET /orders: its parameter filter is an object',
      'POST /orders: levels of a recursive schema beyond 2',
    ])
    assert.deepEqual(skipped, [])
    assert.match(text, /Imported in part, without:\n {2}- GET \/orders: its parameter filter is an object/)
  })

  it('accepts an http address on the developer’s own machine', async () => {
    const { connector } = await importDocument('market.yaml')
    assert.deepEqual(connector.credential_origins, ['http://localhost:4148'])
    assert.equal(connector.identity?.url, 'http://localhost:4148/api/v1/account')
    const at = (server: string) => importDocument('library.yaml', '--server', server)
    assert.deepEqual((await at('http://127.0.0.1:9/x')).connector.credential_origins, ['http://127.0.0.1:9'])
    for (const wrong of ['http://localhost.example', 'http://10.0.0.1', 'http://localhost@evil.example'])
      await assert.rejects(at(wrong), /not an https address/, wrong)
  })

  it('reports skipped parts with the reasons', async () => {
    const imported = await importDocument('library.yaml')
    const skipped = [...imported.skipped, ...imported.partial]
    const reasons = [
      /^the security scheme library_cookie: apiKey cookie is not supported/,
      /^POST \/imports: its body is application\/marc/,
      /^GET \/desk: it needs a credential that was not imported/,
      /^GET \/old: it is deprecated/,
      /^GET \/far: it refers to https:\/\/evil\.example.* external documents are not fetched/,
      /^GET \/loop: a reference is circular/,
      /^GET \/lost\/\{id\}: its path contains \{id\}/,
      /^GET \/books: its parameter filter is an object/,
      /^GET \/books: its header Authorization, which the service sets itself/,
      /^POST \/books\/\{bookId\}\/notes: the pattern \^\(a\+\)\+\$, which may take long/,
      /^POST \/books\/\{bookId\}\/notes: levels of a recursive schema beyond 2/,
    ]
    for (const reason of reasons)
      assert.ok(
        skipped.some(line => reason.test(line)),
        `${reason} in\n${skipped.join('\n')}`,
      )
    assert.equal(skipped.length, reasons.length)
  })

  it('creates a valid connector from a JSON document with a key, a tenant address and forms', async () => {
    const { connector, out } = await importDocument(
      'shop.json',
      '--identity',
      '/orders',
      '--slug',
      'my-shop',
      '--name',
      'My shop',
    )
    assert.equal((await run('check', out)).failed, false)
    assert.equal(connector.slug, 'my-shop')
    assert.deepEqual(connector.credential_origins, [
      'https://{tenant.shop}.{tenant.region}.cornershop.example',
    ])
    assert.deepEqual(connector.tenant?.map(({ pattern }) => pattern)[1], '^(?:eu|us)$')
    const [list, create, replace] = connector.tools
    assert.deepEqual(list?.input_schema.properties, {
      status: { type: ['string', 'null'], enum: ['open', 'done', null] },
      limit: { type: 'integer', minimum: 1 },
    })
    assert.equal(create?.request.body_type, 'form')
    assert.equal(replace?.request.url.split('/api')[1], '/orders/{id}/lines/{line_no}')
    assert.deepEqual(replace?.request.body, { id: '{id_2}' })
  })

  it('keeps OAuth scopes wherever OAuth is listed, and reports its choices', async () => {
    const { connector, skipped, guessed, out } = await importDocument('tracker.yaml')
    assert.equal((await run('check', out)).failed, false)
    const scopes = Object.fromEntries(connector.tools.map(tool => [tool.name, tool.scopes]))
    assert.deepEqual(scopes, {
      get_me: ['read:me'],
      list_issues: [['read:issue', 'read:work']],
      create_issue: ['read:issue', 'write:issue'],
      export_all: [],
      read_public: [],
    })
    const [oauth, key] = connector.authorization
    assert.ok(oauth?.type === 'oauth2' && key?.type === 'api_key')
    assert.deepEqual(
      oauth.scopes.map(({ name, optional }) => [name, optional === true]),
      [
        ['read:me', false],
        ['read:issue', false],
        ['read:work', false],
        ['write:issue', true],
      ],
    )
    for (const reason of [
      /^the security scheme AdminOAuth2: a connector has one method of a kind, and OAuth2 is used/,
      /^the security scheme ImplicitOAuth: it has no authorization code flow/,
      /^GET \/audit: it needs a credential that was not imported/,
      /^the server https:\/\/eu\.tracker/,
    ])
      assert.ok(
        skipped.some(line => reason.test(line)),
        `${reason} in\n${skipped.join('\n')}`,
      )
    for (const reason of [
      /^POST \/issues: of 2 alternative sets of scopes the first is used: read:issue, write:issue/,
      /^GET \/export: the document does not allow OAuth here/,
      /^authorization: client_secret_basic and PKCE/,
      /^identity: .*\/me is a guess/,
    ])
      assert.ok(
        guessed.some(line => reason.test(line)),
        `${reason} in\n${guessed.join('\n')}`,
      )
  })

  it('turns a placeholder in the address into a field, and reports it', async () => {
    const { connector, guessed, text } = await importDocument('tracker.yaml')
    assert.deepEqual(connector.credential_origins, ['https://{tenant.domain}.tracker.example.io'])
    assert.deepEqual(
      connector.tenant?.map(({ name }) => name),
      ['domain'],
    )
    assert.match(guessed[0] ?? '', /^servers: "your-domain" in .* looks like a placeholder/)
    assert.match(text, /Guessed, please check:\n {2}- servers: "your-domain"/)
    const own = await importDocument(
      'tracker.yaml',
      '--server',
      'https://your-domain.tracker.example.io/rest',
    )
    assert.deepEqual(own.connector.credential_origins, ['https://your-domain.tracker.example.io'])
    assert.match(
      await importError('openapi: 3.0.0\nservers: [{url: "https://api.example.com/v1"}]'),
      /is an example/,
    )
  })

  it('prefers a bearer token to HTTP Basic, and keeps a GET whose body is empty or optional', async () => {
    const { connector, partial, skipped, out } = await importDocument('payments.yaml')
    assert.equal((await run('check', out)).failed, false)
    const [key] = connector.authorization
    assert.deepEqual(key?.type === 'api_key' && key.headers, { Authorization: 'Bearer {token}' })
    assert.deepEqual(
      connector.tools.map(({ name, request, input_schema }) => [
        name,
        request.body,
        Object.keys(input_schema.properties as object),
      ]),
      [
        ['get_account', undefined, []],
        ['get_charges', undefined, ['limit', 'status']],
        ['delete_charges', undefined, []],
        ['search', undefined, []],
      ],
    )
    assert.deepEqual(skipped, [
      'the security scheme basicAuth: a connector has one method of a kind, and bearerAuth is used',
      'GET /v1/report: it is a GET with a body',
    ])
    assert.deepEqual(partial, [
      'GET /v1/charges: its parameter created is an object',
      'GET /v1/charges: its parameter session is in cookie, which is not supported',
      'GET /v1/charges: the pattern ^(a|a)*b(a+)+$, which may take long to check',
      'GET /v1/search: its optional body, because a GET is sent without one',
    ])
  })

  it('--auth describes how the key is sent, if the document does not', async () => {
    for (const document of ['hub.json', 'cards.yaml'])
      await assert.rejects(
        importDocument(document),
        /describes no supported credential.*--auth bearer/s,
        document,
      )
    const keyOf = async (document: string, auth: string) => {
      const { connector, out, guessed } = await importDocument(document, '--auth', auth)
      assert.equal((await run('check', out)).failed, false)
      assert.ok(guessed.some(line => line.includes('--auth')))
      const [key] = connector.authorization
      assert.ok(key?.type === 'api_key')
      return { ...key, tools: connector.tools.length }
    }
    const hub = await keyOf('hub.json', 'bearer')
    assert.deepEqual([hub.headers, hub.tools], [{ Authorization: 'Bearer {token}' }, 2])
    assert.ok((await keyOf('hub.json', 'basic')).basic)
    assert.deepEqual((await keyOf('hub.json', 'header:X-Key')).headers, { 'X-Key': '{api_key}' })
    const template = 'OAuth oauth_consumer_key="{api_key}", oauth_token="{token}"'
    const cards = await keyOf('cards.yaml', `header:Authorization=${template}`)
    assert.deepEqual([cards.headers, cards.tools], [{ Authorization: template }, 1])
    assert.deepEqual(
      cards.fields.map(({ name, secret }) => [name, secret]),
      [
        ['api_key', true],
        ['token', true],
      ],
    )
    for (const wrong of ['', 'digest', 'header:', 'header:X-Key=none', 'query:key'])
      await assert.rejects(importDocument('hub.json', '--auth', wrong), /--auth must be "bearer"/, wrong)
  })

  it('imports only included operations, up to the maximum', async () => {
    assert.deepEqual((await importDocument('library.yaml', '--include', '/me', '--include', 'BOOKS')).tools, [
      'get_me',
      'search_books',
    ])
    assert.deepEqual((await importDocument('library.yaml', '--max', '2')).tools, ['get_me', 'search_books'])
    assert.match(
      (await importDocument('library.yaml', '--max', '2')).skipped.at(-1) ?? '',
      /maximum of 2 tools is reached/,
    )
    await assert.rejects(
      importDocument('library.yaml', '--max', '61'),
      /It must be a whole number from 1 to 60/,
    )
    await assert.rejects(
      importDocument('library.yaml', '--include', 'nothing'),
      /No operation of the document can become a tool/,
    )
  })

  it('does not replace a file without --force', async () => {
    const out = emptyFolder()
    const args = ['import', join(DOCUMENTS, 'library.yaml'), '--out', out]
    await run(...args)
    await assert.rejects(run(...args), /already exists\. Use --force/)
    await run(...args, '--force')
  })

  it('rejects anything but OpenAPI 3 with the reason', async () => {
    assert.match(await importError('swagger: "2.0"'), /is Swagger "2\.0"\. Convert it/)
    assert.match(await importError('openapi: 4.0.0'), /is not OpenAPI 3\.0 or 3\.1/)
    assert.match(await importError('- a'), /it must be an object/)
    assert.match(await importError('{"openapi": '), /cannot be read/)
    assert.match(await importError('a: [b'), /cannot be read/)
    assert.match(await importError('openapi: 3.0.0\nservers: [{url: /v1}]'), /Set --server/)
    assert.match(
      await importError('openapi: 3.0.0\nservers: [{url: "http://x.example"}]'),
      /not an https address/,
    )
    assert.match(
      await importError('openapi: 3.0.0\nservers: [{url: "https://x.example"}]'),
      /describes no supported credential/,
    )
    await assert.rejects(run('import', '/nowhere.yaml', '--out', folder), /cannot be read: ENOENT/)
    await assert.rejects(run('import', 'x.yaml'), /output folder is missing/)
  })

  it('survives a hostile document', async () => {
    const bomb = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
        : `a${level}: &a${level} [${Array(9)
            .fill(`*a${level - 1}`)
            .join(', ')}]`,
    ).join('\n')
    assert.match(await importError(`openapi: 3.0.0\n${bomb}`), /cannot be read: Excessive alias count/)
    assert.match(await importError('x'.repeat(21 * 1024 * 1024)), /larger than 20 MB/)
    assert.match(await importError(`openapi: 3.0.0\nx: ${'['.repeat(5000)}`), /cannot be read/)
    const base = {
      openapi: '3.0.0',
      servers: [{ url: 'https://x.example' }],
      components: { securitySchemes: { k: { type: 'http', scheme: 'bearer' } } },
    }
    const broad = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [
        `S${i}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 12 }, (_unused, j) => [`p${j}`, { $ref: `#/components/schemas/S${j}` }]),
          ),
        },
      ]),
    )
    const document = {
      ...base,
      components: { ...base.components, schemas: broad },
      paths: {
        '/me': { get: {} },
        '/x': {
          post: {
            requestBody: {
              required: true,
              content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } },
            },
          },
        },
      },
    }
    const out = emptyFolder()
    const file = join(out, 'broad.json')
    writeFileSync(file, JSON.stringify(document))
    const { data } = await run('import', file, '--out', join(out, 'made'), '--slug', 'broad')
    assert.ok(readFileSync((data as { file: string }).file).length < 300_000)
    assert.match(
      await importError(
        JSON.stringify({ ...base, paths: { '/a?b=1': { get: {} }, '/../x': { get: {} }, 7: null } }),
      ),
      /its path is not valid/,
    )
    assert.match(
      await importError(JSON.stringify({ ...base, paths: { '/me': { get: {} } } }), '--slug', '../../evil'),
      /nothing was written/,
    )
  })
})

describe('patterns that select operations', () => {
  const cases: [text: string, pattern: string, expected: boolean][] = [
    ['/pets/{id}', '/pets*', true],
    ['/pets', '/pets', true],
    ['/pets/1', '/pets', false],
    ['/a/b/c', '*b*', true],
    ['abab', 'ab*ab', true],
    ['ab', 'ab*ab', false],
    ['listPets', '*pets', true],
    ['a'.repeat(5000), `${'*a'.repeat(2000)}*b`, false],
  ]
  for (const [text, pattern, expected] of cases)
    it(`${pattern.slice(0, 20)} ${expected ? 'matches' : 'does not match'} ${text.slice(0, 20)}`, () =>
      assert.equal(matchesPattern(text, pattern), expected))
})
