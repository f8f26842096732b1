import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectorTool, ToolPagination } from '@carabiner/contract'
import { isRefusal } from '../../../core/refusal.ts'
import { nextCursor, type Page, positionOf, publishedInputSchema } from './pagination.ts'

const page = (given: Partial<Page> = {}): Page => ({
  url: 'https://api.example.com/v1/things?limit=2',
  cursor: undefined,
  answer: {},
  items: [{ id: 'a' }, { id: 'b' }],
  headers: {},
  ...given,
})
const cursorOf = (query: string): string => Buffer.from(query).toString('base64url')
const link = (value: string): Partial<Page> => ({ headers: { link: value } })

const cases: [name: string, ToolPagination, Partial<Page>, string | null][] = [
  [
    'a cursor',
    { type: 'cursor', parameter: 'after', next: '/meta/next' },
    { answer: { meta: { next: 'x' } } },
    'x',
  ],
  ['no cursor', { type: 'cursor', parameter: 'after', next: '/next' }, { answer: { next: null } }, null],
  ['an empty cursor', { type: 'cursor', parameter: 'after', next: '/next' }, { answer: { next: '' } }, null],
  ['a number', { type: 'cursor', parameter: 'after', next: '/next' }, { answer: { next: 7 } }, '7'],
  [
    'the same cursor again',
    { type: 'cursor', parameter: 'after', next: '/next' },
    { answer: { next: 'x' }, cursor: 'x' },
    null,
  ],
  [
    'a cursor, but no more',
    { type: 'cursor', parameter: 'after', next: '/next', more: '/more' },
    { answer: { next: 'x', more: false } },
    null,
  ],
  [
    'a huge cursor',
    { type: 'cursor', parameter: 'after', next: '/next' },
    { answer: { next: 'x'.repeat(9000) } },
    null,
  ],
  [
    'the last item',
    { type: 'last_item', parameter: 'after', id: '/id', more: '/has_more' },
    { answer: { has_more: true } },
    'b',
  ],
  [
    'the last item of all',
    { type: 'last_item', parameter: 'after', id: '/id', more: '/has_more' },
    { answer: { has_more: false } },
    null,
  ],
  ['a page', { type: 'page', parameter: 'page', first: 1 }, {}, '2'],
  ['a later page', { type: 'page', parameter: 'page', first: 0 }, { cursor: '3' }, '4'],
  ['an empty page', { type: 'page', parameter: 'page', first: 1 }, { items: [] }, null],
  [
    'the last page',
    { type: 'page', parameter: 'page', first: 0, last: '/last' },
    { answer: { last: true } },
    null,
  ],
  [
    'no next page',
    { type: 'page', parameter: 'page', first: 1, more: '/next_page' },
    { answer: { next_page: null } },
    null,
  ],
  ['an offset', { type: 'offset', parameter: 'start', size: 'limit' }, { cursor: '10' }, '12'],
  ['an offset from one', { type: 'offset', parameter: 'start', first: 1 }, {}, '3'],
  ['a page that is not full', { type: 'offset', parameter: 'start', size: 'limit' }, { items: [1] }, null],
  [
    'a page that is not full, but not marked as the last',
    { type: 'offset', parameter: 'start', size: 'limit', more: '/next' },
    { items: [1], answer: { next: 'https://api.example.com/v1/things?start=1' } },
    '1',
  ],
  [
    'a full page that is marked as the last',
    { type: 'offset', parameter: 'start', size: 'limit', more: '/next' },
    {},
    null,
  ],
  [
    'a page before the last',
    { type: 'page', parameter: 'page', first: 1, pages: '/pages' },
    { cursor: '2', answer: { pages: 3 } },
    '3',
  ],
  [
    'the last of the counted pages',
    { type: 'page', parameter: 'page', first: 1, pages: '/pages' },
    { cursor: '3', answer: { pages: 3 } },
    null,
  ],
  [
    'the part of a path',
    {
      type: 'continuation',
      next: '/next',
      pattern: '^/query/(?<value>[a-z0-9-]+)$',
      url: 'https://api.example.com/query/{cursor}',
    },
    { answer: { next: '/query/01g-2000' } },
    '01g-2000',
  ],
  [
    'a path of another form',
    {
      type: 'continuation',
      next: '/next',
      pattern: '^/query/(?<value>[a-z0-9-]+)$',
      url: 'https://api.example.com/query/{cursor}',
    },
    { answer: { next: '/admin/01g-2000' } },
    null,
  ],
  [
    'a cursor after the last page',
    {
      type: 'continuation',
      next: '/cursor',
      more: '/more',
      url: 'https://api.example.com/continue',
      body: { cursor: '{cursor}' },
    },
    { answer: { cursor: 'x', more: false } },
    null,
  ],
  [
    'beyond the total',
    { type: 'offset', parameter: 'start', size: 'limit', total: '/total' },
    { answer: { total: 2 } },
    null,
  ],
  [
    'below the total',
    { type: 'offset', parameter: 'start', size: 'limit', total: '/total' },
    { answer: { total: 3 } },
    '2',
  ],
  [
    'a Link header',
    { type: 'link_header', parameters: ['page'] },
    link(
      '<https://api.example.com/x?page=1>; rel="prev", <https://api.example.com/repositories/1/x?page=3>; rel="next"',
    ),
    cursorOf('page=3'),
  ],
  [
    'a Link header with several parameters',
    { type: 'link_header', parameters: ['after', 'page'] },
    link('<https://api.example.com/x?per_page=30&after=Y3Vyc29y&page=2>; rel="next"'),
    cursorOf('after=Y3Vyc29y&page=2'),
  ],
  [
    'a Link header without next',
    { type: 'link_header', parameters: ['page'] },
    link('<https://api.example.com/x?page=1>; rel="prev"'),
    null,
  ],
  [
    'Sentry’s empty next page',
    { type: 'link_header', parameters: ['cursor'] },
    link('<https://api.example.com/x?cursor=0:1>; rel="next"; results="false"; cursor="0:1"'),
    null,
  ],
  [
    'a relative Link header',
    { type: 'link_header', parameters: ['page'] },
    link('</x?page=9>; rel=next'),
    cursorOf('page=9'),
  ],
  [
    'the parameter of a Link to another host',
    { type: 'link_header', parameters: ['page'] },
    link('<https://eu.example.com/x?page=3>; rel="next"'),
    cursorOf('page=3'),
  ],
  [
    'a Link that is not a URL',
    { type: 'link_header', parameters: ['page'] },
    link('<http://[>; rel="next"'),
    null,
  ],
  [
    'a URL without the parameter',
    { type: 'next_url', next: '/next', parameters: ['skip'] },
    { answer: { next: 'https://api.example.com/v1/things?x=2' } },
    null,
  ],
]

for (const [name, pagination, given, expected] of cases)
  test(`${pagination.type}: ${name} → ${expected ?? 'the end'}`, () => {
    assert.equal(nextCursor(pagination, page(given)), expected)
  })

const request: ConnectorTool['request'] = { method: 'GET', url: 'https://api.example.com/v1/things' }

test('pagination: only declared parameters of the next URL are kept in the cursor', () => {
  const pagination: ToolPagination = { type: 'next_url', next: '/next', parameters: ['$skip', 'token'] }
  const next = 'https://api.example.com/other?$skip=20&token=a%26b&admin=true'
  const cursor = nextCursor(pagination, page({ answer: { next } })) as string
  assert.deepEqual(positionOf(pagination, request, cursor), {
    values: {},
    query: { $skip: '20', token: 'a&b' },
  })
})

test('pagination: a forged cursor cannot set other parameters, and an empty one is rejected', () => {
  const pagination: ToolPagination = { type: 'next_url', next: '/next', parameters: ['skip'] }
  const forge = (text: string): string => Buffer.from(text).toString('base64url')
  assert.deepEqual(positionOf(pagination, request, forge('skip=1&user=other')).query, { skip: '1' })
  for (const cursor of [forge('user=other'), '', '☃', 7, 'x'.repeat(9000), {}])
    assert.throws(
      () => positionOf(pagination, request, cursor),
      error => isRefusal(error, 'invalid_arguments') && error.param === 'cursor',
    )
  for (const cursor of ['-1', '1e9', '1 or 1', '12345678901'])
    assert.throws(() => positionOf({ type: 'page', parameter: 'page', first: 1 }, request, cursor), isRefusal)
})

test('pagination: a cursor fills its placeholder, else the query; numbered pages get a number', () => {
  const counted: ToolPagination = { type: 'page', parameter: 'page', first: 1 }
  const inBody = { ...request, body: { page: '{cursor}' } }
  assert.deepEqual(positionOf(counted, inBody, '2'), { values: { cursor: 2 }, query: {} })
  assert.deepEqual(positionOf(counted, request, '2'), { values: {}, query: { page: '2' } })
})

test('pagination: a paginated tool gets a cursor argument, and other tools are unchanged', () => {
  const plain: ConnectorTool = {
    name: 'list',
    title: 'List',
    description: 'Lists.',
    input_schema: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
    scopes: [],
    request,
    read_only: true,
  }
  const paged: ConnectorTool = { ...plain, pagination: { type: 'page', parameter: 'page', first: 1 } }
  assert.equal(publishedInputSchema(plain), plain.input_schema)
  const { properties } = publishedInputSchema(paged) as { properties: Record<string, { type: string }> }
  assert.deepEqual(Object.keys(properties), ['q', 'cursor'])
  assert.deepEqual(Object.keys(plain.input_schema.properties as object), ['q'])
})
