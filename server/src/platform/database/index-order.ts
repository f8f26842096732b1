/**
 * A generic plan does not know the parameters: it would expect few rows, read all of them and sort them. These settings
 * force a scan in index order, which reads only the page itself.
 */
export const FORCE_INDEX_ORDER = `set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local enable_bitmapscan = off;
  set local enable_sort = off; set local enable_incremental_sort = off; set local jit = off`
