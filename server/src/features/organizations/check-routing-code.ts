import { type CheckRoutingCode, isServed } from '../../core/organization-state.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Cells } from '../../platform/cells.ts'
import type { Queryable } from '../../platform/database/database.ts'
import { organizationStore } from './organization-store.ts'

/** Without cells, every organization belongs to this installation, so an unknown secret needs no query. */
export const createRoutingCheck =
  ({ db, cells }: { db: Queryable; cells: Cells | null }): CheckRoutingCode =>
  async code => {
    if (!cells || code === null) return
    const organization = await organizationStore.stateByRoutingCode(db, code)
    if (!organization || !isServed(organization.state)) throw new Refusal('wrong_cell')
  }
