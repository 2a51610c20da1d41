use std::ops::Add;

#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    rows: Vec<Vec<i32>>,
}

impl Matrix {
    pub fn from_rows(rows: Vec<Vec<i32>>) -> Self {
        Matrix { rows }
    }

    pub fn row(&self, index: usize) -> &[i32] {
        &self.rows[index]
    }

    pub fn column(&self, index: usize) -> Vec<i32> {
        self.rows.iter().map(|row| row[index]).collect()
    }

    pub fn transposed(&self) -> Matrix {
        let width = self.rows.first().map_or(0, Vec::len);
        Matrix { rows: (0..width).map(|index| self.column(index)).collect() }
    }
}

impl Add for &Matrix {
    type Output = Option<Matrix>;

    fn add(self, other: &Matrix) -> Option<Matrix> {
        if self.rows.len() != other.rows.len() {
            return None;
        }
        let rows = self
            .rows
            .iter()
            .zip(&other.rows)
            .map(|(a, b)| a.iter().zip(b).map(|(x, y)| x + y).collect())
            .collect();
        Some(Matrix { rows })
    }
}
