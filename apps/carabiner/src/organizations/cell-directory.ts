import { CommandError } from '@carabiner/cli'
import type { CellMap, ListedOrganization, OrganizationState } from '@carabiner/server/operator'

/** An organization and the cell whose database contains it. */
export type PlacedOrganization = ListedOrganization & { cell: string }

/** In this order, a state decides which of several cells serves an organization. A cell that it was moved from never does. */
const PRECEDENCE: OrganizationState[][] = [['active', 'suspended'], ['leaving', 'deleting'], ['arriving']]

/** Assigns each routing code to a cell. */
export const assignCodes = (organizations: readonly PlacedOrganization[]): CellMap => {
  const map = new Map<string, string>()
  const byCode = Map.groupBy(organizations, ({ routingCode }) => routingCode)
  for (const [code, found] of byCode) {
    const present = found.filter(({ state }) => state !== 'moved')
    const isOne = new Set(present.map(({ id }) => id)).size === 1
    const inState = PRECEDENCE.map(states => present.filter(({ state }) => states.includes(state)))
    const owners = isOne ? (inState.find(({ length }) => length > 0) ?? []) : present
    const cells = [...new Set(owners.map(({ cell }) => cell))]
    if (cells.length > 1)
      throw new CommandError(
        `The cells ${cells.join(' and ')} both have an organization with the routing code ${code}: ${owners.map(({ id, cell, state }) => `${id} in ${cell} (${state})`).join(', ')}. The map was not written.`,
      )
    if (cells[0] !== undefined) map.set(code, cells[0])
  }
  return map
}
