import type { PageRequest } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { memberSignInLinkStore } from './member-sign-in-link-store.ts'
import { peopleStore, type StoredPerson } from './people-store.ts'
import { personStore } from './person-store.ts'

/** What operators do with the people of the installation. */

/** One more than the limit, if there is a next page. */
export const listPeople = (
  db: Queryable,
  { limit, after, search }: PageRequest & { search: string | null },
): Promise<StoredPerson[]> => peopleStore.list(db, { after, search, limit: limit + 1 })

export const findPerson = async (db: Queryable, id: string): Promise<StoredPerson> => {
  const person = isUuid(id) ? await peopleStore.find(db, id) : null
  if (!person) throw new Refusal('person_not_found')
  return person
}

/** Throws if no operator would remain, or if someone else may be able to sign in as the person. */
export const setOperator = (db: Database, id: string, isOperator: boolean): Promise<StoredPerson> =>
  db.transaction(async tx => {
    await findPerson(tx, id)
    if (isOperator) {
      if (!(await personStore.lockVerified(tx, id)))
        throw new Refusal('address_not_verified', {
          message: 'The email address was never verified. Run `carabiner people invite` with it first.',
        })
      await personStore.makeOperator(tx, id)
      await memberSignInLinkStore.deleteUnused(tx, id)
    } else {
      const operators = await peopleStore.lockOperators(tx)
      if (operators.every(operator => operator === id)) throw new Refusal('last_operator')
      await peopleStore.removeOperator(tx, id)
    }
    return findPerson(tx, id)
  })

/** Ends all sessions of the person, and the sign-in links that were not used yet. */
export const signOutEverywhere = (db: Database, id: string): Promise<StoredPerson> =>
  db.transaction(async tx => {
    await findPerson(tx, id)
    await peopleStore.endSessions(tx, id)
    await memberSignInLinkStore.deleteUnused(tx, id)
    return findPerson(tx, id)
  })
