/** Production and test data of one organization never meet: the mode belongs to users and all that hangs off them. */
export type Mode = 'production' | 'test'
