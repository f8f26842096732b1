import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Ranked, rankTools, type ToolText, wordsOfConnector, wordsOfTool } from './rank-tools.ts'

const tool = (name: string, text: Partial<ToolText> = {}, connector = ''): Ranked<string> => ({
  tool: name,
  text: wordsOfTool({ name, title: '', description: '', arguments: [], ...text }),
  connector: wordsOfConnector(connector, []),
})
const names = async (tools: Ranked<string>[], query: string): Promise<string[]> =>
  (await rankTools(tools, query)).map(({ tool: name }) => name)

describe('the ranking of tools', () => {
  it('prefers a word in the name to the same word in a description or an argument', async () => {
    const tools = [
      tool('alpha', { description: 'Writes an invoice.' }),
      tool('beta', { arguments: [{ name: 'invoice_id', description: '' }] }),
      tool('delta', { arguments: [{ name: 'id', description: 'ID of the invoice.' }] }),
      tool('list_invoices'),
      tool('gamma', { title: 'Invoices' }),
    ]
    assert.deepEqual(await names(tools, 'invoice'), ['list_invoices', 'gamma', 'alpha', 'beta', 'delta'])
  })

  it('prefers rare words to frequent ones', async () => {
    const tools = [tool('list_users'), tool('list_groups'), tool('list_files'), tool('suspend_users')]
    assert.equal((await names(tools, 'list suspend'))[0], 'suspend_users')
  })

  it('prefers the tools of a connector that the query names', async () => {
    const tools = [tool('send_message', {}, 'Slack chat'), tool('send_message_2', {}, 'Gmail email')]
    assert.deepEqual(await names(tools, 'send a message with gmail'), ['send_message_2', 'send_message'])
  })

  it('finds synonyms, below the word itself', async () => {
    const tools = [tool('trash_file'), tool('remove_file'), tool('copy_file')]
    assert.deepEqual(await names(tools, 'remove file'), ['remove_file', 'trash_file', 'copy_file'])
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
})
