// Draws the report of the page that contains this program.
strandline.replace(
  document.getElementById("page"), strandline.report(JSON.parse(document.getElementById("data").textContent)),
);
