import type { AddMatch } from '../scan/match.ts'
import { codeAt } from '../text/characters.ts'

/**
 * Names of people and places are guesses from a dictionary and titles: a name that is in no list and follows no title is
 * missed, and a city that is also a surname is found.
 */
export const GIVEN_NAMES =
  'jane james mary robert patricia john jennifer michael linda david elizabeth william barbara richard susan joseph jessica thomas sarah charles karen christopher lisa daniel nancy matthew betty anthony margaret mark sandra donald ashley steven kimberly paul emily andrew donna joshua michelle kenneth carol kevin amanda brian melissa george deborah timothy stephanie ronald rebecca jason sharon edward laura jeffrey cynthia ryan kathleen jacob amy gary angela nicholas shirley eric anna jonathan brenda stephen pamela larry emma justin nicole scott helen brandon samantha benjamin katherine samuel christine gregory rachel alexander carolyn patrick janet jack maria frank catherine raymond heather dennis diane jerry olivia tyler julie aaron joyce jose victoria adam ruth nathan kelly henry lauren peter hans jürgen wolfgang klaus dieter uwe stefan andreas sabine petra monika ursula claudia katrin jean pierre michel andré philippe françois nathalie isabelle sylvie camille chloé antonio manuel francisco javier carmen josefa dolores pilar lucía giuseppe giovanni luigi francesco giulia chiara alessandra marco piotr krzysztof andrzej tomasz agnieszka katarzyna małgorzata joanna rahul priya amit anjali sanjay sunita wei ming hui mei lin mohammed fatima ahmed aisha omar yusuf liam noah oliver elijah sophia isabella mia charlotte'
export const TITLES =
  'mr mrs ms miss dr prof sir madam herr frau monsieur madame mme mlle señor señora sr sra signor signora pan pani'
export const PLACES =
  'london paris berlin madrid rome warsaw vienna amsterdam brussels lisbon dublin copenhagen stockholm oslo helsinki prague budapest athens zurich geneva munich hamburg cologne frankfurt stuttgart düsseldorf leipzig dresden lyon marseille toulouse bordeaux nice nantes barcelona valencia sevilla milan milano napoli torino firenze venezia roma kraków gdańsk wrocław poznań warszawa manchester birmingham liverpool edinburgh glasgow bristol leeds boston chicago seattle denver austin dallas houston phoenix philadelphia atlanta miami detroit portland toronto montreal vancouver sydney melbourne brisbane perth auckland tokyo osaka kyoto seoul beijing shanghai shenzhen singapore mumbai delhi bangalore chennai kolkata hyderabad dubai istanbul moscow cairo lagos nairobi johannesburg mexico bogotá lima santiago germany france spain italy poland austria switzerland netherlands belgium portugal ireland denmark sweden norway finland england scotland wales canada australia japan china india brazil argentina chile colombia egypt nigeria kenya deutschland frankreich spanien italien polen österreich schweiz españa italia polska allemagne texas california florida'

const CAPITALIZED_NAME =
  /\s(?:(?:van|von|de|der|del|di|da|la|le|bin|al)\s){0,2}\p{Lu}[\p{L}'’-]{1,30}(?!\p{L})/uy
const MAX_NAMES = 3

/** Finds capitalized words after a given name or a title, which is from `at` to `end`. Returns their end. */
export const findPerson = (
  text: string,
  at: number,
  end: number,
  kind: 'given' | 'title',
  addMatch: AddMatch,
): number => {
  if (!isCapitalized(text, at)) return end
  let last = codeAt(text, end) === 46 && kind === 'title' ? end + 1 : end
  let names = 0
  for (; names < MAX_NAMES; names++) {
    CAPITALIZED_NAME.lastIndex = last
    if (!CAPITALIZED_NAME.test(text)) break
    last = CAPITALIZED_NAME.lastIndex
  }
  if (names > 0)
    addMatch({
      entity: 'PERSON',
      rule: kind === 'title' ? 'after-title' : 'given-name',
      start: at,
      end: last,
      baseScore: 0.6,
      contextScore: 0.85,
    })
  else if (kind === 'given')
    addMatch({
      entity: 'PERSON',
      rule: 'given-name-alone',
      start: at,
      end,
      baseScore: 0.3,
      contextScore: 0.6,
    })
  return last
}

export const findPlaceName = (text: string, at: number, end: number, addMatch: AddMatch): void => {
  if (isCapitalized(text, at))
    addMatch({ entity: 'LOCATION', rule: 'place', start: at, end, baseScore: 0.6, contextScore: 0.85 })
}

const isCapitalized = (text: string, at: number): boolean => {
  const first = text[at] ?? ''
  return first !== first.toLowerCase()
}
