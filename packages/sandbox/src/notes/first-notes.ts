import type { AccountId } from '../accounts.ts'

/** The initial notes of each account. `daysAgo` becomes a date at the first start. */
export const firstNotes: Readonly<
  Record<AccountId, readonly { title: string; text: string; daysAgo: number }[]>
> = {
  ana: [
    {
      title: 'Lisbon in April',
      text: 'Flights on the 17th, back on the 22nd. Ask Marta about the flat in Graça. Book the tram museum before Easter.',
      daysAgo: 1,
    },
    {
      title: 'Kitchen quotes',
      text: 'Carpenter: 4,200 with oak fronts, 3,650 without. Electrician can only come on Thursdays. Decide before the end of the month.',
      daysAgo: 4,
    },
    {
      title: 'Talk outline: small tools',
      text: 'Open with the shopping list story. Three examples, one failure. Leave ten minutes for questions.',
      daysAgo: 11,
    },
  ],
  ben: [
    {
      title: 'Sourdough log',
      text: 'Hydration 74%, bulk five hours at 24 °C. Better ear than last week; still a little dense at the base.',
      daysAgo: 2,
    },
    {
      title: 'Boiler service',
      text: 'Engineer came on Tuesday. Pressure valve replaced, next service in November. Receipt is in the blue folder.',
      daysAgo: 6,
    },
    {
      title: 'Reading list',
      text: 'The Overstory. A Pattern Language, chapters 107 to 135. The paper on queues that Ngozi sent.',
      daysAgo: 15,
    },
  ],
}
