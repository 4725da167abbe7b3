// The logo of the console: three probabilities, one of them high.
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <rect x="1" y="3" width="18" height="4" rx="1" class="sure" />
      <rect x="1" y="9" width="8" height="3" rx="1" />
      <rect x="1" y="14" width="4" height="3" rx="1" />
    </svg>
  )
}
