import { Usage, UsageCycle, UsageQuery } from '../record-resources.ts'
import { declareOperations } from './operation.ts'

export const usageOperations = declareOperations('Usage', {
  getUsage: {
    route: 'GET /usage',
    client: 'usage.get',
    summary: 'Retrieve usage',
    description:
      'Counts tool calls of the key’s mode by day, user, connector and tool. Calls of deleted users have no user.',
    query: UsageQuery,
    responses: { 200: Usage },
    errors: ['invalid_request'],
    tool: { name: 'get_usage', access: 'read' },
  },
  getUsageCycle: {
    route: 'GET /usage/cycle',
    client: 'usage.cycle',
    summary: 'Retrieve the billing cycle',
    description: 'Returns the usage of the current billing cycle.',
    responses: { 200: UsageCycle },
  },
})
