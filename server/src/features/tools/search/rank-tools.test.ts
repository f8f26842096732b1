import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListedTool } from '../listing/listed-tool.ts'
import { indexConnector } from './connector-index.ts'
import { rankTools } from './rank-tools.ts'
import { readQuery } from './read-query.ts'
import { wordsOfText } from './tokenize.ts'
import { createTurn } from './turn.ts'

const tool = (name: string, text: Partial<ListedTool> = {}): ListedTool => ({
  name: `acme__${name}`,
  description: '',
  inputSchema: { type: 'object' },
  annotations: {},
  ...text,
})
const names = async (tools: ListedTool[], query: string): Promise<string[]> => {
  const turn = createTurn()
  const index = await indexConnector('acme', tools, turn)
  const ranked = await rankTools([{ index, bonus: 0, factor: 1 }], readQuery(query, wordsOfText(query)), turn)
  return ranked.map(({ tool: { name } }) => name.slice('acme__'.length))
}

describe('the ranking of tools', () => {
  it('prefers a word in the name to the same word in a description or an argument', async () => {
    const tools = [
      tool('alpha', { description: 'Writes an invoice.' }),
      tool('beta', { inputSchema: { properties: { invoice_id: {} } } }),
      tool('delta', { inputSchema: { properties: { id: { description: 'ID of the invoice.' } } } }),
      tool('list_invoices'),
      tool('gamma', { title: 'Invoices' }),
    ]
    assert.deepEqual(await names(tools, 'the invoice'), ['list_invoices', 'gamma', 'alpha', 'beta', 'delta'])
  })

  it('prefers rare words to frequent ones', async () => {
    const tools = [tool('list_users'), tool('list_groups'), tool('list_files'), tool('suspend_users')]
    assert.equal((await names(tools, 'list suspend'))[0], 'suspend_users')
  })

  it('finds synonyms, below the word itself', async () => {
    const tools = [tool('trash_file'), tool('remove_file'), tool('copy_file')]
    assert.deepEqual(await names(tools, 'remove file'), ['remove_file', 'trash_file', 'copy_file'])
  })

  it('prefers tools that read for a question, and tools that write for an instruction', async () => {
    const tools = [
      tool('update_status', { annotations: { readOnlyHint: false } }),
      tool('show_status', { annotations: { readOnlyHint: true } }),
    ]
    assert.equal((await names(tools, 'what is the status'))[0], 'show_status')
    assert.equal((await names(tools, 'put a new status'))[0], 'update_status')
  })

  it('prefers lists and searches to tools that need an ID for a question', async () => {
    const annotations = { readOnlyHint: true }
    const tools = [tool('get_invoice', { annotations }), tool('list_invoice', { annotations })]
    assert.equal((await names(tools, 'has the invoice come'))[0], 'list_invoice')
  })

  it('discounts long descriptions', async () => {
    const tools = [
      tool('long', { description: `refund ${'other words about something else '.repeat(40)}` }),
      tool('short', { description: 'refund of a payment' }),
    ]
    assert.equal((await names(tools, 'refund'))[0], 'short')
  })

  it('returns nothing for a query without a known word, and keeps the order of equal scores', async () => {
    const tools = [tool('b_note'), tool('a_note')]
    assert.deepEqual(await names(tools, 'zebra'), [])
    assert.deepEqual(await names(tools, ''), [])
    assert.deepEqual(await names(tools, 'the of'), [])
    assert.deepEqual(await names(tools, 'note'), ['b_note', 'a_note'])
    assert.deepEqual(await names([], 'note'), [])
  })

  it('uses the words of a changed list of the same connector', async () => {
    const [first, second] = [tool('list_notes'), tool('delete_note')]
    assert.deepEqual(await names([first, second], 'notes'), ['list_notes', 'delete_note'])
    assert.deepEqual(await names([first], 'notes'), ['list_notes'])
    assert.deepEqual(await names([first, tool('copy_note')], 'notes'), ['list_notes', 'copy_note'])
  })
})
