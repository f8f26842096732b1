import { ref } from 'vue'

/** The last search, which an opened search box offers again. */
export const query = ref('')
