/** Context words belong to topics. Each entity is a topic, by its position in `ENTITIES`; these are the other ones. */
export const VERSION_TOPIC = 100
export const MONTH_TOPIC = 101
export const GIVEN_NAME_TOPIC = 102
export const TITLE_TOPIC = 103
export const PLACE_TOPIC = 104
/** The first custom rule; the others follow. */
export const FIRST_CUSTOM_TOPIC = 200
export const MAX_TOPICS = 512
