import type { CellMap, ListedOrganization } from '@carabiner/server/operator'
import { UsageError } from './output.ts'

/** An organization and the cell whose database contains it. */
export type PlacedOrganization = ListedOrganization & { cell: string }

/**
 * Assigns each routing code to a cell. The cell that an organization arrives at is used only if no other cell has it, and a cell that it
 * was moved from is never used.
 */
export const assignCodes = (organizations: readonly PlacedOrganization[]): CellMap => {
  const map = new Map<string, string>()
  const byCode = Map.groupBy(organizations, ({ routingCode }) => routingCode)
  for (const [code, found] of byCode) {
    const present = found.filter(({ state }) => state !== 'moved')
    const settled = present.filter(({ state }) => state !== 'arriving')
    const owners = settled.length > 0 ? settled : present
    const cells = [...new Set(owners.map(({ cell }) => cell))]
    if (cells.length > 1)
      throw new UsageError(
        `The cells ${cells.join(' and ')} both have an organization with the routing code ${code}: ${owners.map(({ id, cell, state }) => `${id} in ${cell} (${state})`).join(', ')}. The map was not written.`,
      )
    if (cells[0] !== undefined) map.set(code, cells[0])
  }
  return map
}
